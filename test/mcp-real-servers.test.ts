import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { Elicitation } from '../src/contract/ports/ask.js'
import type { SamplingRequest, ServerLogEntry } from '../src/mcp/client/server-requests.js'
import type { McpServerConfig } from '../src/mcp/config/server-config.js'
import { getPackagedServer, type McpFixture, openMcpServers } from '../src/testing/mcp-fixture.js'
import { waitUntil } from '../src/testing/running-processes.js'

const EVERYTHING_SERVER = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'
let fixture: McpFixture | undefined
let child: ChildProcess | undefined
let folders: string[] = []

afterEach(async () => {
  await fixture?.close()
  if (child !== undefined && child.exitCode === null) {
    child.kill()
    await once(child, 'exit')
  }
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  fixture = undefined
  child = undefined
  folders = []
})

function createTemporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-mcp-real-')))
  folders.push(folder)
  return folder
}

/** Starts server-everything and returns its configuration. Over stdio, the client starts it instead. */
async function startEverything(
  transport: 'stdio' | 'http' | 'sse',
  fixedPort?: number,
): Promise<Partial<McpServerConfig>> {
  if (transport === 'stdio') return getPackagedServer('server-everything')
  const port = fixedPort ?? (await findFreePort())
  const args = [EVERYTHING_SERVER, transport === 'http' ? 'streamableHttp' : 'sse']
  const env = { ...process.env, PORT: String(port) }
  const serverProcess = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  child = serverProcess
  // The output pipe stays open, because the server would end if it could not write to it.
  await new Promise<void>((resolve) => {
    serverProcess.stderr.on('data', (chunk) => String(chunk).includes(String(port)) && resolve())
  })
  const path = transport === 'http' ? 'mcp' : 'sse'
  return { type: transport, url: `http://127.0.0.1:${port}/${path}` }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Connects with handlers that answer everything and record the questions. */
async function connect(config: Partial<McpServerConfig>) {
  const elicitations: Elicitation[] = []
  const samplingRequests: SamplingRequest[] = []
  const logEntries: ServerLogEntry[] = []
  const mcpFixture = openMcpServers(
    { everything: config },
    {
      requests: {
        roots: () => ['/somewhere'],
        elicit: async (elicitation) => {
          elicitations.push(elicitation)
          return { action: 'accept', content: { name: 'Ada', check: true, interpretation: 'technical' } }
        },
        sample: async (request) => {
          samplingRequests.push(request)
          return { text: 'a sampled answer', model: 'fixture-model' }
        },
        onLog: (entry) => logEntries.push(entry),
      },
    },
  )
  fixture = mcpFixture
  await mcpFixture.servers.settled()
  const server = mcpFixture.servers.get('everything')
  if (server === undefined) throw new Error('The server everything is not registered.')
  const callForText = async (tool: string, args = {}) => JSON.stringify((await server.callTool(tool, args)).content)
  return {
    servers: mcpFixture.servers,
    server,
    text: callForText,
    elicited: elicitations,
    sampled: samplingRequests,
    logged: logEntries,
  }
}

describe.each(['stdio', 'http', 'sse'] as const)('server-everything over %s', (transport) => {
  test('every tool answers, with every kind of content', async () => {
    const { servers, server, text, elicited, sampled, logged } = await connect(await startEverything(transport))
    expect(servers.states).toMatchObject([{ status: 'connected', toolCount: 17, refused: [] }])

    expect(await text('echo', { message: 'hi' })).toContain('Echo: hi')
    expect(await text('get-sum', { a: 1, b: 2 })).toContain('The sum of 1 and 2 is 3.')
    expect(await text('get-env')).toContain('PATH')
    expect(await text('get-annotated-message', { messageType: 'error', includeImage: true })).toMatch(
      /priority.*image\/png/,
    )
    expect(await text('get-tiny-image')).toContain('"type":"image"')
    expect(await text('get-resource-links', { count: 2 })).toContain('"type":"resource_link"')
    expect(await text('get-resource-reference')).toContain('"type":"resource"')
    const gzip = { name: 'x.gz', data: 'data:text/plain,hello', outputType: 'resource' }
    expect(await text('gzip-file-as-resource', gzip)).toContain('"blob"')
    expect((await server.callTool('get-structured-content', { location: 'New York' })).structuredContent).toMatchObject(
      {
        conditions: expect.any(String),
      },
    )
    expect(await text('get-roots-list')).toContain('file:///somewhere')
    expect(await text('toggle-subscriber-updates')).toContain('Started')

    expect(await text('trigger-elicitation-request')).toContain('Name: Ada')
    const url = { url: 'https://example.com/', message: 'open', elicitationId: '1', sendCompletionNotification: false }
    expect(await text('trigger-url-elicitation', url)).toContain('completed the URL elicitation flow')
    expect(elicited).toMatchObject([{ serverName: 'everything', schema: {} }, { url: 'https://example.com/' }])
    expect(await text('trigger-sampling-request', { prompt: 'why' })).toContain('a sampled answer')
    expect(sampled).toMatchObject([{ serverName: 'everything', messages: [{ text: expect.stringContaining('why') }] }])

    expect(await text('toggle-simulated-logging')).toContain('Started')
    await waitUntil(() => logged.length > 0)
  })

  test('resources, templates, prompts and completions are available, and subscriptions work', async () => {
    const { servers, server } = await connect(await startEverything(transport))

    const resources = await servers.port.listResources('everything')
    const document = resources.find(({ uri }) => uri.startsWith('demo://resource/static/document/'))
    expect(resources.map(({ uri }) => uri)).toContain('demo://resource/dynamic/text/{resourceId}')
    const [documentContent] = await servers.port.readResource('everything', document?.uri ?? '')
    expect(documentContent?.text).toContain('#')
    const [blob] = await servers.port.readResource('everything', 'demo://resource/dynamic/blob/1')
    expect(blob?.blob).toMatch(/^[A-Za-z0-9+/=]+$/)

    expect(servers.prompts().map(({ name }) => name)).toEqual([
      'simple-prompt',
      'args-prompt',
      'completable-prompt',
      'resource-prompt',
    ])
    const prompt = await server.request('prompts/get', { name: 'args-prompt', arguments: { city: 'Berlin' } })
    expect(JSON.stringify(prompt.entries)).toContain('Berlin')
    const ref = { type: 'ref/prompt', name: 'completable-prompt' }
    const completion = await server.request('completion/complete', {
      ref,
      argument: { name: 'department', value: 'E' },
    })
    expect(completion.result).toMatchObject({ completion: { values: ['Engineering'] } })
    await server.request('resources/subscribe', { uri: 'demo://resource/dynamic/text/1' })
    await server.request('resources/unsubscribe', { uri: 'demo://resource/dynamic/text/1' })
  })

  test('a long call reports its progress and ends when it is cancelled', async () => {
    const { server } = await connect(await startEverything(transport))
    const progressValues: number[] = []
    const cancel = new AbortController()
    const call = server.callTool(
      'trigger-long-running-operation',
      { duration: 600, steps: 3_000 },
      {
        signal: cancel.signal,
        onProgress: ({ progress }) => {
          progressValues.push(progress)
          if (progressValues.length === 2) cancel.abort()
        },
      },
    )

    await expect(call).rejects.toMatchObject({ code: 'cancelled' })
    expect(progressValues).toEqual([1, 2])
    expect((await server.callTool('get-sum', { a: 1, b: 2 })).content).toHaveLength(1)
  })
})

test.each(['http', 'sse'] as const)(
  'a client reconnects to a network server that was restarted over %s',
  async (type) => {
    const config = await startEverything(type)
    const { text } = await connect(config)
    const port = 'url' in config ? Number(new URL(config.url ?? '').port) : 0
    const firstServer = child
    firstServer?.kill('SIGKILL')
    await once(firstServer as ChildProcess, 'exit')
    await expect(text('echo', { message: 'nobody' })).rejects.toThrow('fetch failed')

    await startEverything(type, port)
    expect(await text('echo', { message: 'again' })).toContain('again')
  },
)

test('a tool that runs only as a task is called as a task, and can ask the user meanwhile', async () => {
  const { text, elicited } = await connect(getPackagedServer('server-everything'))

  expect(await text('simulate-research-query', { topic: 'python', ambiguous: true })).toContain('python')
  expect(elicited).toHaveLength(1)
})

test('a resource that a call creates is listed afterwards', async () => {
  const { servers, text } = await connect(getPackagedServer('server-everything'))
  await text('gzip-file-as-resource', { name: 'made.gz', data: 'data:text/plain,hello', outputType: 'resourceLink' })

  const uris = (await servers.port.listResources('everything')).map(({ uri }) => uri)
  expect(uris.some((uri) => uri.endsWith('made.gz'))).toBe(true)
})

test('every tool of server-filesystem works inside its folder and nowhere else', async () => {
  const folder = createTemporaryFolder()
  mkdirSync(join(folder, 'sub'))
  writeFileSync(join(folder, 'a.txt'), 'one\ntwo\n')
  fixture = openMcpServers({ files: getPackagedServer('server-filesystem', folder) })
  await fixture.servers.settled()
  const { port } = fixture.servers
  const call = async (tool: string, args: object) =>
    JSON.stringify(await port.callTool('files', tool, { ...args }, { signal: new AbortController().signal }))
  const path = join(folder, 'a.txt')

  for (const tool of ['read_file', 'read_text_file']) expect(await call(tool, { path })).toContain('one\\ntwo')
  expect(await call('read_media_file', { path })).toContain('blob')
  expect(await call('read_multiple_files', { paths: [path] })).toContain('one')
  expect(await call('write_file', { path: join(folder, 'b.txt'), content: 'b' })).toContain('Successfully')
  expect(await call('edit_file', { path, edits: [{ oldText: 'one', newText: '1' }] })).toContain('+1')
  expect(await call('create_directory', { path: join(folder, 'new') })).toContain('Successfully')
  for (const tool of ['list_directory', 'list_directory_with_sizes', 'directory_tree']) {
    expect(await call(tool, { path: folder })).toContain('b.txt')
  }
  const moveInput = { source: join(folder, 'b.txt'), destination: join(folder, 'c.txt') }
  expect(await call('move_file', moveInput)).toContain('Successfully')
  expect(await call('search_files', { path: folder, pattern: '**/*.txt' })).toContain('c.txt')
  expect(await call('get_file_info', { path })).toContain('size')
  expect(await call('list_allowed_directories', {})).toContain(folder)
  expect(await call('read_file', { path: '/etc/passwd' })).toContain('"isError":true')
  expect(fixture.servers.states[0]?.toolCount).toBe(14)
})

test('every tool of server-memory works, and its graph is a resource', async () => {
  const file = join(createTemporaryFolder(), 'memory.jsonl')
  fixture = openMcpServers({ memory: { ...getPackagedServer('server-memory'), env: { MEMORY_FILE_PATH: file } } })
  await fixture.servers.settled()
  const { port } = fixture.servers
  const call = async (tool: string, args: object) =>
    JSON.stringify(await port.callTool('memory', tool, { ...args }, { signal: new AbortController().signal }))
  const relation = { from: 'Ada', to: 'Bob', relationType: 'knows' }

  const entities = ['Ada', 'Bob'].map((name) => ({ name, entityType: 'person', observations: ['is here'] }))
  expect(await call('create_entities', { entities })).toContain('Ada')
  expect(await call('create_relations', { relations: [relation] })).toContain('knows')
  expect(await call('add_observations', { observations: [{ entityName: 'Ada', contents: ['sings'] }] })).toContain(
    'sings',
  )
  expect(await call('read_graph', {})).toContain('sings')
  expect(await call('search_nodes', { query: 'sings' })).toContain('Ada')
  expect(await call('open_nodes', { names: ['Bob'] })).toContain('Bob')
  const resources = await port.listResources('memory')
  const [graph] = await port.readResource('memory', resources[0]?.uri ?? '')
  expect(graph?.text).toContain('Ada')
  expect(
    await call('delete_observations', { deletions: [{ entityName: 'Ada', observations: ['sings'] }] }),
  ).not.toContain('isError')
  expect(await call('delete_relations', { relations: [relation] })).not.toContain('isError')
  expect(await call('delete_entities', { entityNames: ['Bob'] })).not.toContain('isError')
  expect(await call('read_graph', {})).not.toContain('Bob')
  expect(fixture.servers.states[0]?.toolCount).toBe(9)
})
