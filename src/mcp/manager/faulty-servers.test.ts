import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { jsonSchemaValidator } from '../../shared/json-schema-validator.js'
import { type McpFixture, openMcpServers } from '../../testing/mcp-fixture.js'
import { isAlive, runningWith, until } from '../../testing/running-processes.js'
import type { McpServerConfig } from '../config/server-config.js'
import type { McpServersOptions } from './create-mcp-servers.js'

let open: McpFixture[] = []

const RUN = randomUUID()

/** Whatever a server did, nothing of it runs when the set is closed. */
afterEach(async () => {
  await Promise.all(open.map((fixture) => fixture.close()))
  open = []
  expect(runningWith(`HAFT_TEST_RUN=${RUN}`)).toEqual([])
})

const server = (plan: object, config: Partial<McpServerConfig> = {}): Partial<McpServerConfig> => ({
  command: process.execPath,
  args: ['test/fixtures/mcp/server.mjs', JSON.stringify(plan)],
  env: { HAFT_TEST_RUN: RUN },
  ...config,
})

/** A faulty server beside one that is well. */
async function beside(faulty: Partial<McpServerConfig>, options: Partial<McpServersOptions> = {}): Promise<McpFixture> {
  const fixture = openMcpServers({ faulty, good: server({}) }, options)
  open.push(fixture)
  await fixture.servers.settled()
  return fixture
}

const signal = new AbortController().signal
const say = (fixture: McpFixture, name: string, text = 'hi') =>
  fixture.servers.port.callTool(name, 'say', { text }, { signal })
const failure = (call: Promise<unknown>) =>
  call.then(
    () => ({ code: 'none', message: '' }),
    ({ code, message }) => ({ code, message }),
  )
const names = ({ servers }: McpFixture) => servers.tools().map(({ name }) => name)
const statusOf = ({ servers }: McpFixture, name: string) => servers.states.find((state) => state.name === name)
const expectGood = async (fixture: McpFixture) =>
  expect(await say(fixture, 'good', 'well')).toEqual({ content: [{ type: 'text', text: 'well' }] })

test('a server that crashes in a call says its last words, is started again, and at last is left alone', async () => {
  let now = 0
  const fixture = await beside(server({ onCall: 'crash' }), { now: () => now })

  const { code, message } = await failure(say(fixture, 'faulty'))
  expect(code).toBe('tool_failed')
  expect(message).toContain('It ended (exit code 3).')
  expect(message).toContain('Its last words:\nout of cheese')
  expect(names(fixture)).toContain('mcp__faulty__say')

  expect((await failure(say(fixture, 'faulty'))).message).toContain('exit code 3')
  expect((await failure(say(fixture, 'faulty'))).message).toContain('It is tried again in 1 s.')
  for (let failed = 2; failed < 8; failed++) {
    now += 60_000
    expect((await failure(say(fixture, 'faulty'))).message).toContain('exit code 3')
  }
  now += 1e9
  expect((await failure(say(fixture, 'faulty'))).message).toContain('failed too often')
  await expectGood(fixture)
})

test('a call that hangs is called off', async () => {
  const fixture = await beside(server({ onCall: 'hang' }, { timeoutMs: 50 }))

  expect(await failure(say(fixture, 'faulty'))).toEqual({
    code: 'timed_out',
    message: expect.stringContaining('faulty gave no sign of life for 0.05 s in tools/call say'),
  })
  await expectGood(fixture)
})

test('an answer to a question that nobody asked is no answer', async () => {
  const fixture = await beside(server({ onCall: 'wrong-id' }, { timeoutMs: 300 }))

  expect((await failure(say(fixture, 'faulty'))).message).toContain('It sent 1 answers to questions that nobody asked.')
  await expectGood(fixture)
})

test('text among the messages is passed over', async () => {
  const fixture = await beside(server({ rubbish: 'Listening…\n{"not": "a message"}\n[1, 2]\n{broken\n\n' }))

  expect(await say(fixture, 'faulty')).toEqual({ content: [{ type: 'text', text: 'hi' }] })
})

test('a server that floods its output is given up', async () => {
  const fixture = await beside(server({ onCall: 'flood' }))

  expect((await failure(say(fixture, 'faulty'))).message).toContain('It floods its output')
  await expectGood(fixture)
})

test('a result of 100 MB arrives whole', async () => {
  const fixture = await beside(server({ onCall: 'huge' }))

  const { content } = await say(fixture, 'faulty')
  expect((content[0] as { text: string }).text).toHaveLength(100 * 1024 * 1024)
  await expectGood(fixture)
})

test('a server that does not answer its first request in time is said to be late, and keeps nobody waiting', async () => {
  const fixture = await beside(server({ neverStarts: true }, { startTimeoutMs: 300 }))

  expect(statusOf(fixture, 'faulty')).toMatchObject({
    status: 'failed',
    reason: 'The MCP server faulty could not be reached: it did not answer within 0.3 s.',
  })
  await expectGood(fixture)
})

test('a server that is slow to start comes up after the others, which do not wait for it', async () => {
  const slow = server({ startMs: 3_300 }, { startTimeoutMs: 5_000 })
  const fixture = openMcpServers({ slow, good: server({}) })
  open.push(fixture)
  const settled = fixture.servers.settled()
  await until(() => statusOf(fixture, 'good')?.status === 'connected')
  expect(statusOf(fixture, 'slow')?.status).toBe('pending')
  await expectGood(fixture)

  await settled
  expect(names(fixture)).toEqual(['mcp__slow__say', 'mcp__good__say'])
})

test('a server that ends when it is asked for its revision is started again and not asked', async () => {
  const fixture = await beside(server({ exitsWhenAsked: true }))

  expect(statusOf(fixture, 'faulty')).toMatchObject({ status: 'connected', info: { era: 'legacy' } })
})

test('a program that is not there fails with its name', async () => {
  const fixture = await beside({ command: 'haft-no-such-program' })

  expect(statusOf(fixture, 'faulty')?.reason).toContain('haft-no-such-program is not installed')
  await expectGood(fixture)
})

test('of a list with bad entries the good ones are taken, and each bad one is refused with its reason', async () => {
  const good = { name: 'say', inputSchema: { type: 'object' } }
  const tools = [
    null,
    { inputSchema: { type: 'object' } },
    { name: 'no-schema' },
    { name: 'a-list', inputSchema: { type: 'array' } },
    { name: 'bad-key', inputSchema: { type: 'object', properties: { 'a b': {} } } },
    { name: 'bad-ref', inputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/none' } } } },
    good,
    { ...good, description: 'another' },
    { name: 'Bash', inputSchema: { type: 'object' } },
  ]
  const fixture = await beside(server({ tools, deepLevels: 20_000 }))

  expect(names(fixture)).toEqual(['mcp__faulty__say', 'mcp__faulty__Bash', 'mcp__good__say'])
  expect(statusOf(fixture, 'faulty')?.refused).toEqual([
    { name: '(no name)', reason: 'it is no object' },
    { name: '(no name)', reason: 'it has no name' },
    { name: 'no-schema', reason: 'its input schema is no object' },
    { name: 'a-list', reason: 'its input schema describes "array" and not an object' },
    { name: 'bad-key', reason: 'its schema has a property "a b", a name that providers refuse' },
    { name: 'bad-ref', reason: 'its schema at "/properties/a" refers to "#/$defs/none", which is not there' },
    { name: 'say', reason: 'the server has another of this name' },
    { name: 'deep', reason: 'it is nested more than 100 levels deep' },
  ])
  expect(fixture.problems).toHaveLength(8)
  await expectGood(fixture)
})

test('a tool that calls itself Bash takes the place of no other, even without its prefix', async () => {
  const tools = [
    { name: 'Bash', inputSchema: { type: 'object' } },
    { name: 'mine', inputSchema: { type: 'object' } },
  ]
  const fixture = await beside(server({ tools }, { prefix: false }), { reservedNames: new Set(['Bash']) })

  expect(names(fixture)).toEqual(['mcp__faulty__Bash', 'mine', 'mcp__good__say'])
})

test('a list that changes in mid-call is asked for again, and the call is answered', async () => {
  const later = { name: 'later', inputSchema: { type: 'object' } }
  const fixture = await beside(server({ onCall: 'change-list', laterTools: [later] }))

  expect(await say(fixture, 'faulty')).toEqual({ content: [{ type: 'text', text: 'changed' }] })
  await until(() => names(fixture).includes('mcp__faulty__later'))
  expect(names(fixture)).not.toContain('mcp__faulty__say')
  expect(await failure(say(fixture, 'faulty'))).toMatchObject({
    message: expect.stringContaining('is not offered any more'),
  })
})

test('every page of a list is taken', async () => {
  const tools = Array.from({ length: 25 }, (_, index) => ({ name: `t${index}`, inputSchema: { type: 'object' } }))
  const fixture = await beside(server({ tools, pageSize: 10 }))

  expect(statusOf(fixture, 'faulty')?.toolCount).toBe(25)
})

test('what a server started ends with it, even where it left its group', async () => {
  const fixture = await beside(server({ hasChild: true }))
  const log = statusOf(fixture, 'faulty')?.logPath ?? ''
  await until(() => existsSync(log) && readFileSync(log, 'utf8').includes('\n'))
  const child = Number(/child (\d+)/.exec(readFileSync(log, 'utf8'))?.[1])
  expect(isAlive(child)).toBe(true)

  await fixture.close()
  open = []
  expect(isAlive(child)).toBe(false)
})

test('what a server that crashed left behind ends, too', async () => {
  const fixture = await beside(server({ hasChild: true, onCall: 'crash' }))
  const log = statusOf(fixture, 'faulty')?.logPath ?? ''
  await until(() => existsSync(log) && readFileSync(log, 'utf8').includes('\n'))
  const child = Number(/child (\d+)/.exec(readFileSync(log, 'utf8'))?.[1])

  await failure(say(fixture, 'faulty'))
  await until(() => !isAlive(child))
})

test('schemas made to keep us busy do not', async () => {
  const tools = [
    {
      name: 'say',
      inputSchema: { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } },
      outputSchema: { type: 'object', properties: { list: { uniqueItems: true } } },
    },
  ]
  const fixture = await beside(server({ tools }))
  const tool = fixture.servers.tools()[0]
  const validate = await jsonSchemaValidator(tool?.inputJSONSchema ?? {})

  expect(() => validate({ text: `${'a'.repeat(50)}b` })).toThrow('timed out')
  expect(validate({ text: 'aaa' })).toEqual({ value: { text: 'aaa' } })
})
