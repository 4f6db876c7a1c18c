import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { createJsonSchemaValidator } from '../../shared/json-schema-validator.js'
import { type McpFixture, openMcpServers } from '../../testing/mcp-fixture.js'
import { findProcessesWith, isAlive, waitUntil } from '../../testing/running-processes.js'
import type { McpServerConfig } from '../config/server-config.js'
import type { McpServersOptions } from './create-mcp-servers.js'

let openFixtures: McpFixture[] = []

const RUN_ID = randomUUID()

/** Once the servers are closed, none of their processes may be left. */
afterEach(async () => {
  await Promise.all(openFixtures.map((fixture) => fixture.close()))
  openFixtures = []
  expect(findProcessesWith(`HAFT_TEST_RUN=${RUN_ID}`)).toEqual([])
})

const createServerConfig = (plan: object, config: Partial<McpServerConfig> = {}): Partial<McpServerConfig> => ({
  command: process.execPath,
  args: ['test/fixtures/mcp/server.mjs', JSON.stringify(plan)],
  env: { HAFT_TEST_RUN: RUN_ID },
  ...config,
})

/** Starts a faulty server next to a healthy one. */
async function startBeside(
  faultyConfig: Partial<McpServerConfig>,
  options: Partial<McpServersOptions> = {},
): Promise<McpFixture> {
  const fixture = openMcpServers({ faulty: faultyConfig, good: createServerConfig({}) }, options)
  openFixtures.push(fixture)
  await fixture.servers.settled()
  return fixture
}

const signal = new AbortController().signal
const say = (fixture: McpFixture, name: string, text = 'hi') =>
  fixture.servers.port.callTool(name, 'say', { text }, { signal })
const getFailure = (call: Promise<unknown>) =>
  call.then(
    () => ({ code: 'none', message: '' }),
    ({ code, message }) => ({ code, message }),
  )
const listToolNames = ({ servers }: McpFixture) => servers.tools().map(({ name }) => name)
const findState = ({ servers }: McpFixture, name: string) => servers.states.find((state) => state.name === name)
const expectHealthy = async (fixture: McpFixture) =>
  expect(await say(fixture, 'good', 'well')).toEqual({ content: [{ type: 'text', text: 'well' }] })

test('a server that crashes in every call is reported with its output, restarted, and finally no longer retried', async () => {
  let now = 0
  const fixture = await startBeside(createServerConfig({ onCall: 'crash' }), { now: () => now })

  const { code, message } = await getFailure(say(fixture, 'faulty'))
  expect(code).toBe('tool_failed')
  expect(message).toContain('It exited (exit code 3).')
  expect(message).toContain('Its last output:\nout of cheese')
  expect(listToolNames(fixture)).toContain('mcp__faulty__say')

  expect((await getFailure(say(fixture, 'faulty'))).message).toContain('exit code 3')
  expect((await getFailure(say(fixture, 'faulty'))).message).toContain('Next retry in 1 s.')
  for (let failures = 2; failures < 8; failures++) {
    now += 60_000
    expect((await getFailure(say(fixture, 'faulty'))).message).toContain('exit code 3')
  }
  now += 1e9
  expect((await getFailure(say(fixture, 'faulty'))).message).toContain('failed too often')
  await expectHealthy(fixture)
})

test('progress that arrives together with the result is reported', async () => {
  const fixture = await startBeside(createServerConfig({ onCall: 'progress' }))
  const reports: unknown[] = []
  const onProgress = (report: unknown) => reports.push(report)

  const result = await fixture.servers.port.callTool('faulty', 'say', {}, { signal, onProgress })

  expect(result).toMatchObject({ content: [{ text: 'done' }] })
  expect(reports).toMatchObject([{ progress: 1 }, { progress: 2 }, { progress: 3 }])
})

test('a call that makes no progress is cancelled', async () => {
  const fixture = await startBeside(createServerConfig({ onCall: 'hang' }, { timeoutMs: 50 }))

  expect(await getFailure(say(fixture, 'faulty'))).toEqual({
    code: 'timed_out',
    message: expect.stringContaining('faulty made no progress for 0.05 s in tools/call say'),
  })
  await expectHealthy(fixture)
})

test('a response of a server that matches no request is ignored', async () => {
  const fixture = await startBeside(createServerConfig({ onCall: 'wrong-id' }, { timeoutMs: 300 }))

  expect((await getFailure(say(fixture, 'faulty'))).message).toContain(
    'The server sent 1 response that matches no request.',
  )
  await expectHealthy(fixture)
})

test('server output that is not a message is ignored', async () => {
  const fixture = await startBeside(
    createServerConfig({ rubbish: 'Listening…\n{"not": "a message"}\n[1, 2]\n{broken\n\n' }),
  )

  expect(await say(fixture, 'faulty')).toEqual({ content: [{ type: 'text', text: 'hi' }] })
})

test('the connection to a server that floods its output is closed', async () => {
  const fixture = await startBeside(createServerConfig({ onCall: 'flood' }))

  expect((await getFailure(say(fixture, 'faulty'))).message).toContain(
    'It wrote more than 16 MiB of output that is not a message.',
  )
  await expectHealthy(fixture)
})

test('a result of 100 MB is received completely', async () => {
  const fixture = await startBeside(createServerConfig({ onCall: 'huge' }))

  const { content } = await say(fixture, 'faulty')
  expect((content[0] as { text: string }).text).toHaveLength(100 * 1024 * 1024)
  await expectHealthy(fixture)
})

test('a server that does not answer its first request in time fails without blocking others', async () => {
  const fixture = await startBeside(createServerConfig({ neverStarts: true }, { startTimeoutMs: 300 }))

  expect(findState(fixture, 'faulty')).toMatchObject({
    status: 'failed',
    reason: 'The MCP server faulty could not be reached: it did not answer within 0.3 s.',
  })
  await expectHealthy(fixture)
})

test('a slow server does not delay the others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'haft-slow-server-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const startFile = join(folder, 'start')
  const slowServer = createServerConfig({ startFile }, { startTimeoutMs: 170_000 })
  const fixture = openMcpServers({ slow: slowServer, good: createServerConfig({}) })
  openFixtures.push(fixture)
  const settlePromise = fixture.servers.settled()
  await waitUntil(() => findState(fixture, 'good')?.status === 'connected')
  expect(findState(fixture, 'slow')?.status).toBe('pending')
  await expectHealthy(fixture)

  writeFileSync(startFile, '')
  await settlePromise
  expect(listToolNames(fixture)).toEqual(['mcp__slow__say', 'mcp__good__say'])
})

test('a server that exits during negotiation is started again without negotiation', async () => {
  const fixture = await startBeside(createServerConfig({ exitsWhenAsked: true }))

  expect(findState(fixture, 'faulty')).toMatchObject({ status: 'connected', info: { era: 'legacy' } })
})

test('the error for a missing program contains its name', async () => {
  const fixture = await startBeside({ command: 'haft-no-such-program' })

  expect(findState(fixture, 'faulty')?.reason).toContain('haft-no-such-program is not installed')
  await expectHealthy(fixture)
})

test('invalid entries in the tool list of a server are refused with a reason, and valid entries are used', async () => {
  const validTool = { name: 'say', inputSchema: { type: 'object' } }
  const tools = [
    null,
    { inputSchema: { type: 'object' } },
    { name: 'no-schema' },
    { name: 'a-list', inputSchema: { type: 'array' } },
    { name: 'bad-key', inputSchema: { type: 'object', properties: { 'a b': {} }, propertyNames: {} } },
    { name: 'bad-enum', inputSchema: { type: 'object', properties: { a: { enum: [] } } } },
    { name: 'bad-ref', inputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/none' } } } },
    validTool,
    { ...validTool, description: 'another' },
    { name: 'Bash', inputSchema: { type: 'object' } },
  ]
  const fixture = await startBeside(createServerConfig({ tools, deepLevels: 20_000 }))

  expect(listToolNames(fixture)).toEqual(['mcp__faulty__say', 'mcp__faulty__Bash', 'mcp__good__say'])
  expect(findState(fixture, 'faulty')?.refused).toEqual([
    { name: '(no name)', reason: 'it is not an object' },
    { name: '(no name)', reason: 'it has no name' },
    { name: 'no-schema', reason: 'its input schema is not an object' },
    { name: 'a-list', reason: 'its input schema has the type "array" instead of "object"' },
    {
      name: 'bad-key',
      reason: expect.stringContaining('its schema has a property "a b", a name that providers reject'),
    },
    { name: 'bad-ref', reason: 'its schema at "/properties/a" refers to "#/$defs/none", which does not exist' },
    { name: 'say', reason: 'the server has another tool with this name' },
    { name: 'deep', reason: 'it is nested more than 100 levels deep' },
    { name: 'bad-enum', reason: expect.stringContaining('its input schema cannot be compiled: ') },
  ])
  expect(fixture.problems).toHaveLength(9)
  await expectHealthy(fixture)
})

const BUILT_IN_NAMES = new Set(['Bash'])

test('a server tool named Bash does not replace the built-in tool, even without a prefix', async () => {
  const tools = [
    { name: 'Bash', inputSchema: { type: 'object' } },
    { name: 'mine', inputSchema: { type: 'object' } },
  ]
  const fixture = await startBeside(createServerConfig({ tools }, { prefix: false }), {
    reservedNames: () => BUILT_IN_NAMES,
  })

  expect(listToolNames(fixture)).toEqual(['mcp__faulty__Bash', 'mine', 'mcp__good__say'])
})

test('a tool list that changes during a call is fetched again, and the call is answered', async () => {
  const laterTool = { name: 'later', inputSchema: { type: 'object' } }
  const fixture = await startBeside(createServerConfig({ onCall: 'change-list', laterTools: [laterTool] }))

  expect(await say(fixture, 'faulty')).toEqual({ content: [{ type: 'text', text: 'changed' }] })
  await waitUntil(() => listToolNames(fixture).includes('mcp__faulty__later'))
  expect(listToolNames(fixture)).not.toContain('mcp__faulty__say')
  expect(await getFailure(say(fixture, 'faulty'))).toMatchObject({
    message: expect.stringContaining('is no longer available'),
  })
})

test('all pages of a tool list are fetched', async () => {
  const tools = Array.from({ length: 25 }, (_, index) => ({ name: `t${index}`, inputSchema: { type: 'object' } }))
  const fixture = await startBeside(createServerConfig({ tools, pageSize: 10 }))

  expect(findState(fixture, 'faulty')?.toolCount).toBe(25)
})

test('child processes of a server end with it, even outside its process group', async () => {
  const fixture = await startBeside(createServerConfig({ hasChild: true }))
  const log = findState(fixture, 'faulty')?.logPath ?? ''
  await waitUntil(() => existsSync(log) && readFileSync(log, 'utf8').includes('\n'))
  const child = Number(/child (\d+)/.exec(readFileSync(log, 'utf8'))?.[1])
  expect(isAlive(child)).toBe(true)

  await fixture.close()
  openFixtures = []
  expect(isAlive(child)).toBe(false)
})

test('child processes of a crashed server are ended', async () => {
  const fixture = await startBeside(createServerConfig({ hasChild: true, onCall: 'crash' }))
  const log = findState(fixture, 'faulty')?.logPath ?? ''
  await waitUntil(() => existsSync(log) && readFileSync(log, 'utf8').includes('\n'))
  const child = Number(/child (\d+)/.exec(readFileSync(log, 'utf8'))?.[1])

  await getFailure(say(fixture, 'faulty'))
  await waitUntil(() => !isAlive(child))
})

test('checking an input against a schema designed to be slow times out', async () => {
  const tools = [
    {
      name: 'say',
      inputSchema: { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } },
      outputSchema: { type: 'object', properties: { list: { uniqueItems: true } } },
    },
  ]
  const fixture = await startBeside(createServerConfig({ tools }))
  const tool = fixture.servers.tools()[0]
  const validate = await createJsonSchemaValidator(tool?.inputJSONSchema ?? {})

  expect(() => validate({ text: `${'a'.repeat(50)}b` })).toThrow('timed out')
  expect(validate({ text: 'aaa' })).toEqual({ value: { text: 'aaa' } })
})
