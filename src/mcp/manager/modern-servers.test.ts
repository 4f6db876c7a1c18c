import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { type McpFixture, openMcpServers } from '../../testing/mcp-fixture.js'
import { waitUntil } from '../../testing/running-processes.js'
import type { McpServerConfig } from '../config/server-config.js'
import type { McpServersOptions } from './create-mcp-servers.js'

const SERVER_PATH = 'test/fixtures/mcp/modern-server.mjs'
let child: ChildProcess | undefined
let fixture: McpFixture | undefined
let output = ''

afterEach(async () => {
  await fixture?.close()
  child?.kill()
  child = undefined
})

async function startModernServer(transport: 'stdio' | 'http'): Promise<Partial<McpServerConfig>> {
  if (transport === 'stdio') return { command: process.execPath, args: [SERVER_PATH] }
  output = ''
  const serverProcess = spawn(process.execPath, [SERVER_PATH, 'http'], { stdio: ['ignore', 'pipe', 'pipe'] })
  child = serverProcess
  serverProcess.stderr.on('data', (chunk) => {
    output += chunk
  })
  const [port] = await once(serverProcess.stdout, 'data')
  return { url: `http://127.0.0.1:${Number(port)}/` }
}

async function connect(transport: 'stdio' | 'http', requests: McpServersOptions['requests'] = {}) {
  fixture = openMcpServers({ modern: await startModernServer(transport) }, { requests })
  await fixture.servers.settled()
  const server = fixture.servers.get('modern')
  if (server === undefined) throw new Error('the server is missing')
  return { servers: fixture.servers, server }
}

describe.each(['stdio', 'http'] as const)('a server of the newest revision over %s', (transport) => {
  test('is used with that revision', async () => {
    const { servers, server } = await connect(transport)

    expect(servers.states).toMatchObject([
      { status: 'connected', info: { era: 'modern', protocolVersion: '2026-07-28' } },
    ])
    expect((await server.callTool('say', { text: 'hi' })).content).toEqual([{ type: 'text', text: 'hi' }])
  })

  test('gets answers to its input requests', async () => {
    const { server } = await connect(transport, {
      elicit: async ({ message }) => ({ action: 'accept', content: { name: message } }),
    })

    expect(JSON.stringify((await server.callTool('ask', {})).content)).toContain('Who are you?')
  })

  test('reports progress and is notified when a call is cancelled', async () => {
    const { servers, server } = await connect(transport)
    const cancel = new AbortController()
    const call = server.callTool('wait', {}, { signal: cancel.signal, onProgress: () => cancel.abort() })

    await expect(call).rejects.toMatchObject({ code: 'cancelled' })
    const log = servers.states[0]?.logPath ?? ''
    await waitUntil(() =>
      (transport === 'http' ? output : existsSync(log) ? readFileSync(log, 'utf8') : '').includes('called off'),
    )
    expect((await server.callTool('say', { text: 'hi' })).content).toHaveLength(1)
  })

  test('has its tools listed again when it announces a change', async () => {
    const { servers, server } = await connect(transport)
    await server.callTool('grow', {})

    await waitUntil(() => servers.tools().some(({ name }) => name === 'mcp__modern__more'))
  })
})
