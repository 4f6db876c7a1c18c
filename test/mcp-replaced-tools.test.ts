import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterEach, expect, test } from 'vitest'
import type { PermissionUpdate } from '../src/contract/permission/result.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import type { HaftRuntime } from '../src/runtime/haft-runtime.js'
import type { ToolRuntimeOptions } from '../src/runtime/options.js'
import { builtInTools } from '../src/tools/index.js'
import { call, textOf } from './runtime-fixtures.js'

/** Its input is no command line, and what looks like one must not be judged as one. */
const SERVER_BASH = {
  name: 'Bash',
  description: 'Runs a step on the build machine',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
}
const SERVER = {
  command: process.execPath,
  args: [resolve('test/fixtures/mcp/server.mjs'), JSON.stringify({ tools: [SERVER_BASH], prefix: 'the server ran ' })],
  prefix: false,
}

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

function createFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-replaced-')))
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function openRuntime(
  permissions: ToolRuntimeOptions['permissions'],
  options: Partial<ToolRuntimeOptions> = {},
): Promise<HaftRuntime> {
  const folder = createFolder()
  const runtime = createToolRuntime({
    ...{ tools: builtInTools, mcpServers: { own: SERVER }, cwd: folder, machine: { homeDir: folder } },
    ...(permissions !== undefined && { permissions }),
    ...options,
  })
  cleanUps.push(() => runtime.dispose())
  await (await runtime.mcp())?.settled()
  return runtime
}

/** The tools of the pool that are or could be called Bash, with the server that they belong to. */
const listShells = ({ pool }: HaftRuntime) =>
  pool
    .filter(({ name }) => name === 'Bash' || name.endsWith('__Bash'))
    .map(({ name, mcpInfo }) => `${name} of ${mcpInfo?.serverName ?? 'Haft'}`)

const IN_ITS_PLACE = ['Bash of own']
const BESIDE_IT = ['Bash of Haft', 'mcp__own__Bash of own']

async function runBash(runtime: HaftRuntime, input: object) {
  const [result] = await runtime.run([call('Bash', input)]).results
  return { text: textOf(result), isError: result?.is_error === true }
}

test("if a rule denies Bash, a server's tool of that name takes its place", async () => {
  const runtime = await openRuntime({ deny: ['Bash'], allow: ['mcp__own__Bash'] })

  expect(listShells(runtime)).toEqual(IN_ITS_PLACE)
  expect(await runBash(runtime, { text: 'rm -rf /' })).toEqual({ text: 'the server ran rm -rf /', isError: false })
})

test.each([
  ['no rule', {}],
  ['a rule about some commands', { deny: ['Bash(rm:*)'] }],
  ['a rule that asks', { ask: ['Bash'] }],
  ['a rule about another tool', { deny: ['Write'] }],
])('with %s, the server never replaces the built-in tool', async (_, rules) => {
  expect(listShells(await openRuntime(rules))).toEqual(BESIDE_IT)
})

test('a tool that a flag switches off keeps its name', async () => {
  const tools = [{ ...SERVER_BASH, name: 'Terminal' }]
  const args = [resolve('test/fixtures/mcp/server.mjs'), JSON.stringify({ tools })]
  const runtime = await openRuntime({}, { mcpServers: { own: { ...SERVER, args } } })

  expect(runtime.pool.filter(({ name }) => name.includes('Terminal')).map(({ name }) => name)).toEqual([
    'mcp__own__Terminal',
  ])
})

test.each(['mcp__own__Bash', 'mcp__own', 'mcp__own__*'])('the rule %s denies the tool of the server', async (rule) => {
  expect(listShells(await openRuntime({ deny: ['Bash', rule] }))).toEqual([])
})

test.each(['Bash', 'Bash(ls)', 'Bash(*)'])('the rule %s for the built-in tool does not allow it', async (rule) => {
  const runtime = await openRuntime({ deny: ['Bash'], allow: [rule] })

  expect(await runBash(runtime, { text: 'ls' })).toEqual({
    text: expect.stringMatching(/needs approval.*"mcp__own__Bash"/s),
    isError: true,
  })
})

test('what its input looks like does not matter: it is neither read-only nor a command', async () => {
  const runtime = await openRuntime({ deny: ['Bash'], mode: 'plan' })
  const tool = runtime.pool.find(({ name }) => name === 'Bash')

  expect(await runBash(runtime, { text: 'ls', command: 'ls' })).toMatchObject({
    text: expect.stringContaining('plan mode'),
    isError: true,
  })
  expect([tool?.command, tool?.needs, tool?.modes, tool?.readsTasks]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

test('the pool follows a deny rule that appears or disappears while the session runs', async () => {
  const runtime = await openRuntime({ allow: ['mcp__own'] })
  const change = (type: 'addRules' | 'removeRules'): PermissionUpdate => ({
    ...{ type, destination: 'session', behavior: 'deny', rules: ['Bash'] },
  })
  expect(listShells(runtime)).toEqual(BESIDE_IT)

  await runtime.applyUpdates([change('addRules')])
  expect(listShells(runtime)).toEqual(IN_ITS_PLACE)
  expect((await runBash(runtime, { text: 'it' })).text).toBe('the server ran it')

  await runtime.applyUpdates([change('removeRules')])
  expect(listShells(runtime)).toEqual(BESIDE_IT)
  expect(await runBash(runtime, { text: 'it' })).toMatchObject({ isError: true })
})

test('ToolSearch finds it, and the model gets the schema of the server', async () => {
  const runtime = await openRuntime({ deny: ['Bash'], allow: ['mcp__own__Bash'] })
  const findDefinition = async () => (await runtime.definitions()).find(({ name }) => name === 'Bash')
  expect(await findDefinition()).toBeUndefined()

  const [found] = await runtime.run([call('ToolSearch', { query: 'select:Bash' })]).results

  expect(textOf(found)).toContain('Bash')
  expect(await findDefinition()).toMatchObject({
    description: expect.stringContaining('build machine'),
    input_schema: { properties: { text: { type: 'string' } } },
  })
  expect((await runBash(runtime, { text: 'it' })).text).toBe('the server ran it')
})

test('a sub-agent gets the same tool', async () => {
  const runtime = await openRuntime({ deny: ['Bash'] })

  expect(listShells(runtime.fork({}))).toEqual(IN_ITS_PLACE)
})

test.each([
  ['Bash', 'Bash', false],
  ['Write', 'mcp__own__Bash', true],
])('haft mcp serve with a deny rule for %s offers the tool of the server as %s', async (rule, name, hasBuiltIn) => {
  const folder = createFolder()
  const client = new Client({ name: 'test', version: '1' }, { capabilities: {} })
  const config = JSON.stringify({ mcpServers: { own: SERVER } })
  const args = ['mcp', 'serve', '--mcp-config', config, '--disallowed-tools', rule, '--allowed-tools', 'mcp__own']
  await client.connect(
    new StdioClientTransport({
      ...{ command: process.execPath, args: [resolve('bin/haft'), ...args], cwd: folder, stderr: 'ignore' },
      env: { PATH: process.env.PATH ?? '', HOME: folder, HAFT_SANDBOX: '1' },
    }),
  )
  cleanUps.push(() => client.close())
  const request = async (tool: string, input: Record<string, unknown>) =>
    JSON.stringify((await client.callTool({ name: tool, arguments: input })).content)

  expect(await request(name, { text: 'it' })).toContain('the server ran it')
  expect(await request('ToolSearch', { query: `select:${name}` })).toContain('build machine')
  const { tools } = await client.listTools()
  expect(tools.some((tool) => tool.name === 'Bash' && tool.description?.includes('timeout'))).toBe(hasBuiltIn)
})
