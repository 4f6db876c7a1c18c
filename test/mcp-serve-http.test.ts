import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, expect, test } from 'vitest'
import { createServerConfig, HAFT_PATH } from './lib/served-client.js'

const TOKEN = 'a-token-for-tests-only'
let child: ChildProcess | undefined
let home = ''

afterEach(async () => {
  if (child !== undefined && child.exitCode === null) {
    child.kill()
    await once(child, 'exit')
  }
  child = undefined
  rmSync(home, { recursive: true, force: true })
})

/** Starts the gateway and returns its address. */
async function serve(...args: readonly string[]): Promise<URL> {
  return serveWith(['--allowed-tools', 'mcp__fixture', ...args])
}

async function serveWith(args: readonly string[]): Promise<URL> {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'haft-http-')))
  const config = ['--mcp-config', createServerConfig(0, join(home, 'cancelled'))]
  const command = [HAFT_PATH, 'mcp', 'serve', '--gateway', '--no-prefix', '--http', '0', ...config, ...args]
  const env = { PATH: process.env.PATH ?? '', HOME: home, HAFT_SANDBOX: '1', HAFT_MCP_TOKEN: TOKEN }
  const serverProcess = spawn(process.execPath, command, { cwd: home, env, stdio: ['ignore', 'ignore', 'pipe'] })
  child = serverProcess
  let stderr = ''
  return new Promise((resolve, reject) => {
    serverProcess.stderr.on('data', (chunk) => {
      stderr += chunk
      const url = /Serving MCP at (\S+)/.exec(stderr)?.[1]
      if (url !== undefined) resolve(new URL(url))
    })
    serverProcess.once('exit', () => reject(new Error(stderr)))
  })
}

const PING_REQUEST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
const VALID_HEADERS = {
  authorization: `Bearer ${TOKEN}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

/** The status of a response. Uses node:http, because other clients cannot send a wrong Host header. */
function requestStatus(
  url: URL,
  headers: Readonly<Record<string, string>>,
  path = url.pathname,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoingRequest = request(
      { host: url.hostname, port: url.port, path, method: 'POST', headers },
      (response) => {
        response.resume()
        resolve(response.statusCode)
      },
    )
    outgoingRequest.once('error', reject)
    outgoingRequest.end(PING_REQUEST)
  })
}

test.each(['auto', 'legacy'] as const)('clients that negotiate %s are served in parallel', async (mode) => {
  const url = await serve()
  const connect = async () => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } }
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
    return client
  }
  const clients = await Promise.all([connect(), connect()])

  const results = await Promise.all(clients.map((client) => client.callTool({ name: 'say_hello', arguments: {} })))

  const expected = { content: [{ type: 'text', text: 'say_hello was called.' }] }
  expect(results).toEqual([expect.objectContaining(expected), expect.objectContaining(expected)])
  await Promise.all(clients.map((client) => client.close()))
})

test('only requests with the token, a local host name and a local origin are accepted', async () => {
  const url = await serve()
  const { authorization: _, ...noToken } = VALID_HEADERS

  expect(url.hostname).toBe('127.0.0.1')
  // Accepted, and then rejected because the session is missing.
  expect(await requestStatus(url, VALID_HEADERS)).toBe(400)
  expect(await requestStatus(url, { ...VALID_HEADERS, origin: 'http://localhost:3000' })).toBe(400)
  expect(await requestStatus(url, noToken)).toBe(401)
  expect(await requestStatus(url, { ...VALID_HEADERS, authorization: `Bearer ${TOKEN}x` })).toBe(401)
  expect(await requestStatus(url, { ...VALID_HEADERS, host: 'evil.example' })).toBe(403)
  expect(await requestStatus(url, { ...VALID_HEADERS, origin: 'https://evil.example' })).toBe(403)
  expect(await requestStatus(url, VALID_HEADERS, '/other')).toBe(404)
})

test('an explicitly allowed host name is also accepted', async () => {
  const url = await serve('--allow-host', 'tools.example')

  expect(await requestStatus(url, { ...VALID_HEADERS, host: 'tools.example' })).toBe(400)
})

test('without a token only this machine is served', async () => {
  await expect(serve('--host', '0.0.0.0', '--no-token')).rejects.toThrow(
    '--no-token is only allowed on a loopback address',
  )
})

test('without a token, web pages are refused, even those of this machine', async () => {
  const url = await serve('--no-token')
  const { authorization: _, ...noToken } = VALID_HEADERS

  expect(await requestStatus(url, noToken)).toBe(400)
  expect(await requestStatus(url, { ...noToken, origin: url.origin })).toBe(400)
  expect(await requestStatus(url, { ...noToken, origin: 'http://localhost:3000' })).toBe(403)
})

test('a client can approve only a single call, because rules apply to all clients', async () => {
  const url = await serveWith([])
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } })
  const choices: unknown[] = []
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    const { answer } = 'requestedSchema' in params ? params.requestedSchema.properties : {}
    choices.push(answer)
    return { action: 'accept', content: { answer: 'Yes, once' } }
  })
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } }
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))

  for (const _ of ['first', 'second']) await client.callTool({ name: 'say_hello', arguments: {} })

  const onceOrNoQuestion = expect.objectContaining({ enum: ['Yes, once', 'No'] })
  expect(choices).toEqual([onceOrNoQuestion, onceOrNoQuestion])
  await client.close()
})
