import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createPermissionContext } from '../src/contract/permission/context.js'
import { createPins } from '../src/mcp/config/pins.js'
import { reviewByPins } from '../src/mcp/manager/definition-review.js'
import { readDefinitions } from '../src/mcp/tools/read-definition.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import type { HaftRuntime } from '../src/runtime/haft-runtime.js'
import type { ToolRuntimeOptions } from '../src/runtime/options.js'
import { createMemoryPrivateFiles } from '../src/testing/files/memory-private-files.js'
import { createConfiguredServer, getPackagedServer } from '../src/testing/mcp-fixture.js'
import { builtInTools } from '../src/tools/index.js'
import { call, textOf } from './runtime-fixtures.js'

const homes: string[] = []
const runtimes: HaftRuntime[] = []

afterEach(async () => {
  await Promise.all(runtimes.splice(0).map((runtime) => runtime.dispose()))
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true })
})

function createRuntimeWith(options: Partial<ToolRuntimeOptions>, home = mkdtempSync(join(tmpdir(), 'haft-mcp-home-'))) {
  homes.push(home)
  const runtime = createToolRuntime({ tools: builtInTools, ...options, machine: { homeDir: home, ...options.machine } })
  runtimes.push(runtime)
  return runtime
}

const everythingServer = getPackagedServer('server-everything') as { command: string; args: string[] }
const listToolNames = (runtime: HaftRuntime) => runtime.pool.map(({ name }) => name)
const waitForServers = async (runtime: HaftRuntime) => (await runtime.mcp())?.settled()
const runCall = async (runtime: HaftRuntime, name: string, input: unknown) => {
  const [result] = await runtime.run([call(name, input)]).results
  return { text: textOf(result), isError: result?.is_error === true }
}

test("one line adds a server's tools after the built-in tools, and its calls pass through the whole pipeline", async () => {
  const runtime = createRuntimeWith({
    mcpServers: { everything: everythingServer },
    permissions: { allow: ['mcp__everything'], deny: ['mcp__everything__get-env'] },
  })
  expect(listToolNames(runtime).some((name) => name.startsWith('mcp__'))).toBe(false)
  await waitForServers(runtime)

  expect(listToolNames(runtime)).toContain('mcp__everything__echo')
  expect(listToolNames(runtime)).not.toContain('mcp__everything__get-env')
  expect(await runCall(runtime, 'mcp__everything__echo', { message: 'hi' })).toEqual({
    text: 'Echo: hi',
    isError: false,
  })
  expect(await runCall(runtime, 'mcp__everything__get-sum', { a: 1 })).toMatchObject({
    isError: true,
    text: expect.stringContaining('- b: is missing'),
  })
})

test("without a rule a call needs approval, whatever the server's annotations say", async () => {
  const askedTools: string[] = []
  const runtime = createRuntimeWith({
    mcpServers: { everything: everythingServer },
    ask: async ({ tool }) => {
      askedTools.push(tool.name)
      return { behavior: 'deny' }
    },
  })
  await waitForServers(runtime)
  const echo = runtime.pool.find(({ name }) => name === 'mcp__everything__echo')

  expect(echo?.isReadOnly({})).toBe(true)
  expect((await runCall(runtime, 'mcp__everything__echo', { message: 'hi' })).isError).toBe(true)
  expect(askedTools).toEqual(['mcp__everything__echo'])
})

test('in plan mode a tool that claims to be read-only runs once a rule allows it, and is asked about if its server is trusted', async () => {
  const askedTools: string[] = []
  const runtime = createRuntimeWith({
    mcpServers: { everything: everythingServer },
    permissions: { mode: 'plan' },
    ask: async ({ tool }) => {
      askedTools.push(tool.name)
      return { behavior: 'allow' }
    },
  })
  await waitForServers(runtime)
  const reads = () => runCall(runtime, 'mcp__everything__echo', { message: 'hi' })
  const toggleChanges = () => runCall(runtime, 'mcp__everything__toggle-simulated-logging', {})

  expect(await reads()).toMatchObject({ isError: true, text: expect.stringContaining('plan mode') })
  runtime.setPermissions({ mode: 'plan', allow: ['mcp__everything'] })
  expect(await reads()).toEqual({ text: 'Echo: hi', isError: false })
  expect(await toggleChanges()).toMatchObject({ isError: true, text: expect.stringContaining('plan mode') })
  expect(askedTools).toEqual([])
  runtime.setPermissions(createPermissionContext({ mode: 'plan', trustedMcpServers: ['everything'] }))
  expect(await reads()).toEqual({ text: 'Echo: hi', isError: false })
  expect(await toggleChanges()).toMatchObject({ isError: true, text: expect.stringContaining('plan mode') })
  expect(askedTools).toEqual(['mcp__everything__echo'])
})

test('resource tools exist while a server has resources, and rules about the server apply to them', async () => {
  const rules = { allow: ['ReadMcpResource', 'ListMcpResources'] }
  const runtime = createRuntimeWith({ mcpServers: { everything: everythingServer }, permissions: rules })
  expect(listToolNames(runtime)).not.toContain('ReadMcpResource')
  await waitForServers(runtime)

  expect(listToolNames(runtime)).toEqual(expect.arrayContaining(['ListMcpResources', 'ReadMcpResource']))
  const listResult = await runCall(runtime, 'ListMcpResources', {})
  expect(listResult.text).toContain('demo://resource/static/document/')
  const uri = /demo:\/\/resource\/static\/document\/[^"]+/.exec(listResult.text)?.[0]
  expect((await runCall(runtime, 'ReadMcpResource', { server: 'everything', uri })).isError).toBe(false)

  runtime.setPermissions({ ...rules, ask: ['mcp__everything'] })
  expect((await runCall(runtime, 'ReadMcpResource', { server: 'everything', uri })).isError).toBe(true)
  runtime.setPermissions({ ...rules, deny: ['mcp__everything'] })
  expect(await runCall(runtime, 'ReadMcpResource', { server: 'everything', uri })).toMatchObject({
    isError: true,
    text: expect.stringContaining('A permission rule denies this request to the MCP server everything.'),
  })
})

test('reading a resource needs its own permission', async () => {
  const runtime = createRuntimeWith({
    mcpServers: { everything: everythingServer },
    permissions: { allow: ['mcp__everything'] },
  })
  await waitForServers(runtime)
  const uri = 'demo://resource/dynamic/text/1'

  expect(await runCall(runtime, 'ReadMcpResource', { server: 'everything', uri })).toMatchObject({
    isError: true,
    text: expect.stringContaining('ReadMcpResource'),
  })
})

test('with fresh cached definitions, no server is started before the first call', async () => {
  const first = createRuntimeWith({ mcpServers: { everything: everythingServer } })
  await waitForServers(first)
  const offeredNames = listToolNames(first)
  const home = homes.at(-1)
  await first.dispose()

  const second = createRuntimeWith(
    { mcpServers: { everything: everythingServer }, permissions: { allow: ['mcp__everything'] } },
    home,
  )
  await waitForServers(second)
  expect(listToolNames(second)).toEqual(offeredNames)
  expect((await second.mcp())?.states).toMatchObject([{ name: 'everything', status: 'pending' }])

  expect((await runCall(second, 'mcp__everything__echo', { message: 'hi' })).text).toBe('Echo: hi')
  expect((await second.mcp())?.states).toMatchObject([{ name: 'everything', status: 'connected' }])
})

test('a hook can call an MCP tool, and a rule that denies the server applies to it', async () => {
  const hooks = {
    PreToolUse: [
      {
        matcher: 'TodoWrite',
        hooks: [{ type: 'mcp_tool' as const, server: 'everything', tool: 'echo', input: { message: 'x' } }],
      },
    ],
  }
  const reports: unknown[] = []
  const runtime = createRuntimeWith({
    mcpServers: { everything: everythingServer },
    hooks,
    onEvent: (event) => event.type === 'hook-reported' && reports.push(event.outcome),
  })
  await waitForServers(runtime)
  await runCall(runtime, 'TodoWrite', { todos: [] })
  runtime.setPermissions({ deny: ['mcp__everything'] })
  await runCall(runtime, 'TodoWrite', { todos: [] })

  expect(reports).toEqual(['ok', 'failed'])
})

test('a changed tool needs approval whatever allows it, until a user has approved it', async () => {
  const pins = createPins(createMemoryPrivateFiles())
  const review = reviewByPins(pins)
  const server = createConfiguredServer('everything', everythingServer)
  const toolsBefore = [{ name: 'echo', description: 'Says nothing.', inputSchema: { type: 'object' } }]
  await review(server, readDefinitions(toolsBefore).definitions)
  const questions: string[] = []
  const runtime = createRuntimeWith({
    mcpServers: { servers: [server], review },
    permissions: { allow: ['mcp__everything'] },
    ask: async ({ message }) => {
      questions.push(message)
      return { behavior: questions.length === 1 ? 'deny' : 'allow' }
    },
  })
  const callEcho = () => runCall(runtime, 'mcp__everything__echo', { message: 'hi' })

  expect(await callEcho()).toMatchObject({ isError: true })
  expect(await callEcho()).toEqual({ text: 'Echo: hi', isError: false })
  expect(await callEcho()).toEqual({ text: 'Echo: hi', isError: false })
  expect(await runCall(runtime, 'mcp__everything__get-sum', { a: 1, b: 2 })).toMatchObject({ isError: false })

  expect(questions).toHaveLength(2)
  expect(questions[0]).toContain('description: "Says nothing." is now "Echoes back the input string"')
  const { definitions = [] } = (await runtime.mcp())?.get('everything')?.offer ?? {}
  expect((await reviewByPins(pins)(server, definitions)).size).toBe(0)
})

test('a call waits for a server that is still connecting', async () => {
  const runtime = createRuntimeWith({
    mcpServers: { everything: everythingServer },
    permissions: { allow: ['mcp__everything'] },
  })

  expect(await runCall(runtime, 'mcp__everything__echo', { message: 'early' })).toEqual({
    text: 'Echo: early',
    isError: false,
  })
  expect(await runCall(runtime, 'mcp__nobody__echo', {})).toMatchObject({ isError: true })
})
