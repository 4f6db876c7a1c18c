import './lib/restart-clean.mjs'
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildTool, builtInTools, createToolRuntime } from 'haft'
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node'
import * as z from 'zod'
import { interleave } from './lib/interleave.mjs'
import { createRatioRows, isOverLimit, report } from './lib/report.mjs'

/**
 * Measures definitions in a TypeScript project of 2,000 files, as calls of the tool LSP and as requests of a bare client to a
 * server of its own, and counts the servers that ten agents use.
 */
const FILE_COUNT = 2_000
const FOLDER_COUNT = 50
const REQUESTS_PER_ROUND = 20
const AGENT_COUNT = 10
/** As many as Haft keeps open. */
const OPEN_DOCUMENTS = 8
const SERVER_ARGS = [resolve('node_modules/typescript/bin/tsc'), '--lsp', '--stdio']

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-bench-lsp-')))
try {
  generateProject()
  await benchDefinitions()
  await benchAgents()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** @param {number} index */
function fileOf(index) {
  return join('src', `part${index % FOLDER_COUNT}`, `module${index}.ts`)
}

/** Each file calls the function of the file before it. */
function generateProject() {
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { strict: true, types: [], module: 'nodenext' }, include: ['src'] }),
  )
  for (let index = 0; index < FILE_COUNT; index++) {
    const before = index - 1
    const lines = [
      index === 0 ? '' : `import { run${before} } from '../part${before % FOLDER_COUNT}/module${before}.js'`,
      `export function run${index}(value: number): number {`,
      index === 0 ? '  return value' : `  return run${before}(value) + ${index}`,
      '}',
    ]
    mkdirSync(join(folder, 'src', `part${index % FOLDER_COUNT}`), { recursive: true })
    writeFileSync(join(folder, fileOf(index)), `${lines.join('\n')}\n`)
  }
}

async function benchDefinitions() {
  const client = await startBareClient()
  const { runtime, port } = await openRuntime()
  const askPort = async (/** @type {number} */ index) => {
    const at = { path: join(folder, fileOf(index)), line: 3, character: 10 }
    checkAnswer(JSON.stringify(await port.request('goToDefinition', at)), index)
  }
  // Each round asks about other files, so all clients open them.
  const measure = (/** @type {(index: number) => Promise<void>} */ findDefinition) => {
    let index = 0
    return async () => {
      const start = performance.now()
      for (let count = 0; count < REQUESTS_PER_ROUND; count++) {
        index = (index % (FILE_COUNT - 1)) + 1
        await findDefinition(index)
      }
      return (performance.now() - start) / REQUESTS_PER_ROUND
    }
  }
  const results = await interleave({
    rounds: 41,
    cases: [
      { name: 'a bare client', run: measure(client.findDefinition) },
      { name: 'the language servers of Haft', run: measure(askPort), limit: 1.2 },
      { name: 'the whole call of LSP, with source lines', run: measure(createAsk(runtime)) },
    ],
  })
  report(
    'Time of a definition in another file each time, median of 41 interleaved rounds',
    createRatioRows(results, 'ms'),
  )
  client.end()
  await runtime.dispose()
}

/** A client with nothing but the library, which knows nothing about changes on disk. */
async function startBareClient() {
  // In its own session, like every service of Haft: the kernel shares a busy processor by sessions.
  const server = spawn(process.execPath, SERVER_ARGS, {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  })
  const connection = createMessageConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  )
  connection.onRequest('workspace/configuration', (/** @type {{ items: unknown[] }} */ { items }) =>
    items.map(() => null),
  )
  connection.onRequest('client/registerCapability', () => null)
  connection.listen()
  const toUri = (/** @type {string} */ path) => pathToFileURL(path).href
  await connection.sendRequest('initialize', {
    processId: process.pid,
    rootUri: toUri(folder),
    workspaceFolders: [{ uri: toUri(folder), name: folder }],
    capabilities: { workspace: { configuration: true, workspaceFolders: true }, textDocument: { definition: {} } },
  })
  await connection.sendNotification('initialized', {})
  /** @type {string[]} */
  const openUris = []
  return {
    /** @param {number} index */
    async findDefinition(index) {
      const path = join(folder, fileOf(index))
      const text = readFileSync(path, 'utf8')
      const uri = toUri(path)
      await connection.sendNotification('textDocument/didOpen', {
        textDocument: { uri, languageId: 'typescript', version: 1, text },
      })
      const params = { textDocument: { uri }, position: { line: 2, character: 9 } }
      const answer = await connection.sendRequest('textDocument/definition', params)
      checkAnswer(JSON.stringify(answer), index)
      openUris.push(uri)
      const oldestUri = openUris.length > OPEN_DOCUMENTS ? openUris.shift() : undefined
      if (oldestUri !== undefined)
        await connection.sendNotification('textDocument/didClose', { textDocument: { uri: oldestUri } })
    },
    end() {
      connection.dispose()
      server.kill()
    },
  }
}

async function openRuntime() {
  /** @type {import('haft/ports').LspPort | undefined} */
  let port
  const PortTool = buildTool({
    name: 'TakePort',
    description: 'Hands out the port',
    needs: ['lsp'],
    inputSchema: z.object({}),
    isReadOnly: () => true,
    resources: () => ({}),
    async call(_, { lsp }) {
      port = lsp
      return { data: '' }
    },
  })
  const runtime = createToolRuntime({
    tools: [...builtInTools, PortTool],
    cwd: folder,
    machine: { homeDir: folder, languageServers: { typescript: { command: process.execPath, args: SERVER_ARGS } } },
    permissions: { allow: ['LSP', 'TakePort'] },
    toolSearch: { mode: 'false' },
  })
  const [result] = await runtime.run([{ type: 'tool_use', id: 'port', name: 'TakePort', input: {} }]).results
  if (port === undefined) throw new Error(`There is no port: ${result?.content}`)
  return { runtime, port }
}

/** @param {import('haft').AgentRuntime} runtime */
function createAsk(runtime) {
  let count = 0
  return async (/** @type {number} */ index) => {
    const input = { operation: 'goToDefinition', filePath: fileOf(index), line: 3, character: 10 }
    const [result] = await runtime.run([{ type: 'tool_use', id: `call_${++count}`, name: 'LSP', input }]).results
    checkAnswer(String(result?.content), index)
  }
}

/**
 * @param {string} answer
 * @param {number} index
 */
function checkAnswer(answer, index) {
  if (!answer.includes(`module${index - 1}.ts`)) throw new Error(`Wrong answer for ${fileOf(index)}: ${answer}`)
}

async function benchAgents() {
  const { runtime } = await openRuntime()
  const agents = Array.from({ length: AGENT_COUNT }, (_, index) => runtime.fork({ agentId: `agent_${index}` }))
  await Promise.all(agents.map((agent, index) => createAsk(agent)(index + 1)))
  const servers = (await runtime.languageServers()).filter(({ state }) => state === 'running').length
  report(`Servers for ${AGENT_COUNT} agents in one project`, [
    { name: 'running', value: String(servers), limit: '1', isOver: isOverLimit(servers, 1) },
  ])
  await runtime.dispose()
}
