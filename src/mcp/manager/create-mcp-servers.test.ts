import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { ServicePort, ServiceProcess } from '../../contract/host/service-process.js'
import { createConfiguredServer } from '../../testing/mcp-fixture.js'
import { waitUntil } from '../../testing/running-processes.js'
import type { ConfiguredServer } from '../config/server-config.js'
import { createMcpServers, type McpServersOptions } from './create-mcp-servers.js'

const SAY_DEFINITION = { name: 'say', description: 'Says', inputSchema: { type: 'object' } }

/** Creates in-process services that count their starts. With `isBlocking`, each start waits until it is released. */
function createFakeServices({ isBlocking = false } = {}) {
  const blockedStarts: (() => void)[] = []
  const counts = { started: 0, ended: 0, starting: 0, maxStarting: 0 }
  const port: ServicePort = {
    async start() {
      counts.started++
      counts.starting++
      counts.maxStarting = Math.max(counts.maxStarting, counts.starting)
      if (isBlocking) await new Promise<void>((resolve) => blockedStarts.push(resolve))
      counts.starting--
      return createFakeProcess(() => counts.ended++)
    },
    dispose: async () => {},
  }
  return { port, counts, releaseNext: () => blockedStarts.shift()?.(), blockedStarts }
}

function createFakeProcess(onEnd: () => void): ServiceProcess {
  const stdin = new PassThrough()
  const stdout = new PassThrough()
  stdin.on('data', (chunk) => {
    for (const line of String(chunk).trim().split('\n')) {
      const { id, method, params } = JSON.parse(line)
      if (id !== undefined) stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer(method, params) })}\n`)
    }
  })
  return {
    ...{ pid: 1, stdin, stdout, stderr: new PassThrough(), exited: new Promise(() => {}) },
    end: async () => onEnd(),
  }
}

function answer(method: string, params: { protocolVersion?: string }) {
  if (method === 'tools/list') return { result: { tools: [SAY_DEFINITION] } }
  if (method === 'tools/call') return { result: { content: [{ type: 'text', text: 'answer' }] } }
  if (method !== 'initialize') return { error: { code: -32601, message: 'Method not found' } }
  const { protocolVersion } = params
  return { result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'fake', version: '1' } } }
}

const openServers = (
  servers: readonly ConfiguredServer[],
  services: ServicePort,
  options: Partial<McpServersOptions> = {},
) => createMcpServers({ servers, services, requests: {}, version: '1', ...options })
const createServers = (count: number) =>
  Array.from({ length: count }, (_, index) => createConfiguredServer(`s${index}`, { command: 'x' }))
const waitTurns = async (count = 20) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test('at most four servers start at once, and listing tools does not wait for them', async () => {
  const { port, counts, blockedStarts, releaseNext } = createFakeServices({ isBlocking: true })
  const servers = openServers(createServers(10), port)

  expect(servers.tools()).toEqual([])
  await waitUntil(() => counts.started >= 4)
  await waitTurns()
  expect(counts.started).toBe(4)
  const settlePromise = servers.settled()
  let isSettled = false
  void settlePromise.then(() => {
    isSettled = true
  })
  while (!isSettled) {
    if (blockedStarts.length > 0) releaseNext()
    await waitTurns(1)
  }
  expect(servers.tools()).toHaveLength(10)
  expect(counts).toMatchObject({ started: 10, maxStarting: 4 })
  await servers.close()
  expect(counts.ended).toBe(10)
})

test('the list of MCP tools is the same array while nothing changes', async () => {
  const servers = openServers(createServers(2), createFakeServices().port)
  await servers.settled()
  const tools = servers.tools()
  await servers.port.callTool('s0', 'say', {}, { signal: new AbortController().signal })

  expect(servers.tools()).toBe(tools)
  await servers.close()
})

test('an unapproved or disabled server is not started', async () => {
  const { port, counts } = createFakeServices()
  const { config } = createConfiguredServer('a', { command: 'x' })
  const servers = openServers(
    [
      { name: 'a', config, source: 'project', approved: false },
      { name: 'b', config: { ...config, disabled: true }, source: 'user', approved: true },
    ],
    port,
  )
  await servers.settled()

  expect(servers.states).toMatchObject([
    { name: 'a', status: 'disabled', reason: 'It is not approved yet. Run: haft mcp approve a' },
    { name: 'b', status: 'disabled' },
  ])
  const call = servers.port.callTool('a', 'say', {}, { signal: new AbortController().signal })
  await expect(call).rejects.toMatchObject({ code: 'unavailable' })
  expect(counts.started).toBe(0)
})

const QUESTION = { behavior: 'ask', message: 'say changed' } as const
const { signal } = new AbortController()

test('a tool that needs confirmation asks once and cannot be called without it', async () => {
  const acceptedTools: string[] = []
  const servers = openServers(createServers(1), createFakeServices().port, {
    review: ({ name: server }, definitions) =>
      new Map(
        definitions.map((definition) => {
          const accept = async () => void acceptedTools.push(`${server} ${definition.name}`)
          return [definition, { question: QUESTION, accept }]
        }),
      ),
  })
  await servers.settled()
  const [tool] = servers.tools()

  expect(await tool?.checkPermissions({}, {} as never)).toEqual(QUESTION)
  await expect(servers.port.callTool('s0', 'say', {}, { signal })).rejects.toMatchObject({
    code: 'permission_needed',
    message: expect.stringContaining('say changed'),
  })
  expect(acceptedTools).toEqual([])

  await tool?.call({}, { signal } as never, undefined as never, undefined as never)
  expect(acceptedTools).toEqual(['s0 say'])
  expect(await tool?.checkPermissions({}, {} as never)).toEqual({ behavior: 'passthrough' })
  expect(await servers.port.callTool('s0', 'say', {}, { signal })).toMatchObject({ content: [{ text: 'answer' }] })
  await servers.close()
})

test('servers that start on demand start only when one of their tools is needed', async () => {
  const { port, counts } = createFakeServices()
  const servers = openServers(createServers(3), port, { startsOnDemand: true })

  await servers.settled()
  expect(servers.tools()).toEqual([])
  expect(servers.awaitTool('mcp__s10__say')).toBeUndefined()
  expect(servers.awaitTool('say')).toBeUndefined()
  expect(counts.started).toBe(0)

  await servers.awaitTool('mcp__s1__say')
  expect(servers.tools().map(({ name }) => name)).toEqual(['mcp__s1__say'])
  expect(servers.awaitTool('mcp__s1__other')).toBeUndefined()
  expect(counts.started).toBe(1)
  await servers.close()
})

test('waiting for a tool of a server that cannot start fails with the reason', async () => {
  const disabledServer = createConfiguredServer('off', { command: 'x', disabled: true })
  const start = () => Promise.reject(new Error('no such program'))
  const servers = openServers([...createServers(1), disabledServer], { start, dispose: async () => {} })

  await expect(servers.awaitTool('mcp__s0__say')).rejects.toThrow('no such program')
  await expect(servers.awaitTool('mcp__off__say')).rejects.toThrow('The MCP server off is disabled.')
  await servers.close()
})

test('if the review of a server fails, only the tools of this server are blocked', async () => {
  const problems: string[] = []
  const servers = openServers(createServers(2), createFakeServices().port, {
    review({ name }) {
      if (name === 's0') throw new Error('no disk')
      return new Map()
    },
    onProblem: (problem) => problems.push(problem),
  })
  await servers.settled()

  expect(servers.tools().map(({ name }) => name)).toEqual(['mcp__s1__say'])
  expect(servers.states[0]).toMatchObject({ status: 'failed', reason: expect.stringContaining('no disk') })
  await servers.close()
})

test('a call that is aborted while its server connects fails at once', async () => {
  const { port, releaseNext } = createFakeServices({ isBlocking: true })
  const servers = openServers(createServers(1), port)
  const cancel = new AbortController()
  const call = servers.port.callTool('s0', 'say', {}, { signal: cancel.signal })
  await waitTurns()
  cancel.abort()

  await expect(call).rejects.toMatchObject({ code: 'cancelled' })
  releaseNext()
  await servers.close()
})

test('the error for an unknown server lists the configured servers', async () => {
  const servers = openServers(createServers(2), createFakeServices().port)

  await expect(servers.port.readResource('none', 'a:b')).rejects.toThrow(
    'Unknown MCP server "none". Configured servers: "s0", "s1".',
  )
  await servers.close()
})
