import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HAFT_PATH } from './lib/served-client.js'

const TOKEN = 'a-token-for-tests-only'
const OLD_SERVER = resolve('test/fixtures/mcp-serve/old-server.mjs')
const CONFIG = JSON.stringify({
  mcpServers: { old: { command: process.execPath, args: [OLD_SERVER], startTimeoutMs: 170_000 } },
})
const ARGS = [HAFT_PATH, 'mcp', 'serve', '--gateway', '--no-prefix', '--mcp-config', CONFIG]
const ALLOWED_ARGS = [...ARGS, '--allowed-tools', 'mcp__old']
let home = ''
let child: ChildProcess | undefined
const clients: Client[] = []

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'haft-old-')))
})

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  if (child !== undefined && child.exitCode === null) {
    child.kill()
    await once(child, 'exit')
  }
  child = undefined
  rmSync(home, { recursive: true, force: true })
})

const getEnvironment = () => ({ PATH: process.env.PATH ?? '', HOME: home, HAFT_SANDBOX: '1', HAFT_MCP_TOKEN: TOKEN })

interface ClientOptions {
  readonly mode?: 'auto' | 'legacy'
  readonly capabilities?: ClientCapabilities
}

function createClient(name: string, { mode = 'legacy', capabilities }: ClientOptions = {}): Client {
  const allCapabilities = { elicitation: {}, sampling: {}, roots: { listChanged: true } }
  const options = { capabilities: capabilities ?? allCapabilities, versionNegotiation: { mode } }
  const client = new Client({ name, version: '1' }, options)
  clients.push(client)
  if (capabilities !== undefined) return client
  client.setRequestHandler('elicitation/create', ({ params: { message } }) => {
    const isPermission = message.startsWith('A permission rule')
    return { action: 'accept', content: { answer: isPermission ? 'Yes, once' : `${name} heard ${message}` } }
  })
  client.setRequestHandler('sampling/createMessage', () => ({
    ...{ role: 'assistant', model: 'none' },
    content: { type: 'text', text: `${name} samples` },
  }))
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: `file:///home/${name}`, name }] }))
  return client
}

async function connectOverStdio(options: ClientOptions = {}, args: readonly string[] = ALLOWED_ARGS): Promise<Client> {
  const client = createClient('Ann', options)
  const transport = { command: process.execPath, args: [...args], cwd: home, env: getEnvironment() }
  await client.connect(new StdioClientTransport({ ...transport, stderr: 'ignore' }))
  await expect.poll(async () => JSON.stringify(await client.listTools())).toContain('show_meta')
  return client
}

async function serveOverHttp(): Promise<URL> {
  const serverProcess = spawn(process.execPath, [...ALLOWED_ARGS, '--http', '0'], {
    ...{ cwd: home, env: getEnvironment() },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
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

async function connectOverHttp(url: URL, name: string, options: ClientOptions = {}): Promise<Client> {
  const client = createClient(name, options)
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } }
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
  return client
}

async function callText(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args })
  return content.map((part) => ('text' in part ? part.text : `[${part.type}]`)).join('\n')
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index)

describe.each(['auto', 'legacy'] as const)('parallel calls of a client that negotiates %s', (mode) => {
  test('reach its user and its model with all questions of an older server', async () => {
    const client = await connectOverStdio({ mode })

    const answers = await Promise.all(
      range(20).map((index) => callText(client, index % 2 === 0 ? 'ask' : 'ask_model', { label: `q${index}` })),
    )

    expect(answers).toEqual(
      range(20).map((index) =>
        index % 2 === 0
          ? expect.stringContaining(`q${index}: Ann heard The MCP server old asks: q${index}`)
          : `q${index}: Ann samples`,
      ),
    )
  })
})

test('two clients answer 100 interleaved questions of an older server, each its own', async () => {
  const url = await serveOverHttp()
  const [ann, bob] = await Promise.all([connectOverHttp(url, 'Ann'), connectOverHttp(url, 'Bob')])

  const answers = await Promise.all(
    range(100).map((index) => callText(index % 2 === 0 ? ann : bob, 'ask', { label: `q${index}` })),
  )

  expect(answers).toEqual(
    range(100).map((index) => `q${index}: ${index % 2 === 0 ? 'Ann' : 'Bob'} heard The MCP server old asks: q${index}`),
  )
  expect(await callText(ann, 'show_process')).not.toBe(await callText(bob, 'show_process'))
})

test('a server is told the roots of its client', async () => {
  const client = await connectOverStdio()

  expect(await callText(client, 'roots')).toBe('[{"uri":"file:///home/Ann","name":"Ann"}]')
})

test('a client is told only about the list that changed', async () => {
  const client = await connectOverStdio()
  const changedLists: string[] = []
  for (const kind of ['tools', 'prompts', 'resources'] as const)
    client.setNotificationHandler(`notifications/${kind}/list_changed`, () => void changedLists.push(kind))
  // Changes while the server started are announced before this one.
  await callText(client, 'add_resource')
  await expect.poll(() => changedLists).toContain('resources')
  changedLists.length = 0

  await callText(client, 'add_resource')

  await expect.poll(() => changedLists).toEqual(['resources'])
  expect((await client.listResources()).resources).toHaveLength(3)
})

test('an error result keeps images, structured content and metadata, but not the identity of the server', async () => {
  const client = await connectOverStdio()

  expect(await client.callTool({ name: 'fail', arguments: {} })).toEqual({
    content: [
      { type: 'text', text: 'no' },
      { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
    ],
    structuredContent: { reason: 7 },
    isError: true,
    _meta: { 'example/kept': 1 },
  })
})

test('a protocol error of a server keeps its code and data', async () => {
  const client = await connectOverStdio()

  await expect(client.callTool({ name: 'reject', arguments: {} })).rejects.toMatchObject({
    code: -32_050,
    message: expect.stringContaining('Quota used up'),
    data: { retryAfter: 60 },
  })
})

test('metadata of a client reaches an older server', async () => {
  const client = await connectOverStdio()

  const { content } = await client.callTool({ name: 'show_meta', arguments: {}, _meta: { 'example/trace': 't1' } })

  expect(JSON.parse(content[0]?.type === 'text' ? content[0].text : '')).toMatchObject({ 'example/trace': 't1' })
})

describe('with an ask rule for a server', () => {
  const askArgs = [...ARGS, '--settings', JSON.stringify({ permissions: { ask: ['mcp__old'] } })]
  const ref = { type: 'ref/prompt' as const, name: 'greet' }
  const completion = { ref, argument: { name: 'topic', value: 'w' } }

  test('prompts and completions need the approval of the user', async () => {
    const client = await connectOverStdio({}, askArgs)
    expect(await client.getPrompt({ name: 'greet' })).toMatchObject({ messages: [{ role: 'user' }] })
    expect(await client.complete(completion)).toMatchObject({ completion: { values: ['weather'] } })
  })

  test('prompts and completions are refused if there is no user to ask', async () => {
    const client = await connectOverStdio({ capabilities: {} }, askArgs)
    await expect(client.getPrompt({ name: 'greet' })).rejects.toThrow('the user was not asked')
    await expect(client.complete(completion)).rejects.toThrow('the user was not asked')
  })
})

test('a flood of log messages is bounded and does not hold up results', async () => {
  const client = await connectOverStdio()
  const logs: unknown[] = []
  client.setNotificationHandler('notifications/message', ({ params }) => void logs.push(params.data))

  expect(await callText(client, 'log', { count: 20_000 })).toBe('logged')

  expect(logs.length).toBeLessThan(20_000)
})
