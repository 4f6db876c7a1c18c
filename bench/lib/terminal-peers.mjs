import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { PtyTerminal } from '../../test/terminal/pty-terminal.mjs'
import { computeMedian } from './interleave.mjs'
import { createUnmeasuredRow, report } from './report.mjs'
import { countBytes, readMemory, SIZE } from './terminal-haft.mjs'
import { createAnswerLines } from './terminal-model.mjs'

/**
 * Drives other agents, and Haft, through the same session: a prompt, keys, and an answer of 500 lines that arrives at
 * once. Install them with `npm install --prefix bench/peers/terminal`. Some need a newer Node.js or the network: then the
 * row says what the screen showed.
 */
const LINES = 500
const LAST_LINE = 'End of the answer.'
const ANSWER = [...createAnswerLines(LINES), LAST_LINE].join('\n\n')
const PROMPT = 'please tell'
/** Output has ended if nothing was written for this time. */
const QUIET_MS = 700

/**
 * @typedef {{ url: string, home: string, project: string }} Surroundings
 * @typedef {{
 *   name: string, path: string, args: string[],
 *   files?: (surroundings: Surroundings) => Record<string, string>,
 *   variables?: (surroundings: Surroundings) => Record<string, string>,
 * }} Peer
 */

const PEERS_FOLDER = 'bench/peers/terminal/node_modules'

/** @type {readonly Peer[]} */
const PEERS = [
  {
    name: 'haft',
    path: 'bin/haft',
    args: ['--trust', '--model', 'anthropic:claude-sonnet-4-5'],
    variables: ({ url }) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'a key' }),
  },
  {
    name: 'pi',
    path: `${PEERS_FOLDER}/@mariozechner/pi-coding-agent/dist/cli.js`,
    args: ['--provider', 'bench', '--model', 'bench-model'],
    files: ({ url }) => ({
      '.pi/agent/models.json': JSON.stringify({
        providers: {
          bench: { baseUrl: url, api: 'anthropic-messages', apiKey: 'a key', models: [{ id: 'bench-model' }] },
        },
      }),
    }),
    variables: () => ({ PI_SKIP_VERSION_CHECK: '1', PI_OFFLINE: '1' }),
  },
  {
    name: 'codex',
    path: `${PEERS_FOLDER}/@openai/codex/bin/codex.js`,
    args: [],
    files: createCodexFiles,
  },
  {
    name: 'codex inline',
    path: `${PEERS_FOLDER}/@openai/codex/bin/codex.js`,
    args: ['--no-alt-screen'],
    files: createCodexFiles,
  },
  {
    name: 'gemini',
    path: `${PEERS_FOLDER}/@google/gemini-cli/bundle/gemini.js`,
    args: [],
    files: () => ({
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
      }),
    }),
    // Within an editor it would first offer to install an extension.
    variables: ({ url }) => ({ GEMINI_API_KEY: 'a key', GOOGLE_GEMINI_BASE_URL: url, TERM_PROGRAM: 'xterm' }),
  },
]

/** @param {Surroundings} surroundings @returns {Record<string, string>} */
function createCodexFiles({ url, project }) {
  const config = [
    'model = "bench-model"',
    'model_provider = "bench"',
    'check_for_update_on_startup = false',
    '[model_providers.bench]',
    'name = "bench"',
    `base_url = "${url}/v1"`,
    'wire_api = "responses"',
    `[projects."${project}"]`,
    'trust_level = "trusted"',
  ]
  return { '.codex/config.toml': `${config.join('\n')}\n` }
}

export async function benchPeers() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => answer(request.url ?? '', response))
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  for (const peer of PEERS) {
    if (!existsSync(peer.path)) report(peer.name, [createUnmeasuredRow('not installed: see bench/peers/terminal')])
    else await benchPeer(peer, `http://127.0.0.1:${port}`)
  }
  server.closeAllConnections()
  server.close()
}

/** @param {Peer} peer @param {string} url */
async function benchPeer({ name, path, args, files, variables }, url) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-bench-peer-')))
  const surroundings = { url, home: join(folder, 'home'), project: join(folder, 'project') }
  const { home, project } = surroundings
  mkdirSync(join(project, '.git'), { recursive: true })
  for (const [file, content] of Object.entries(files?.(surroundings) ?? {})) {
    mkdirSync(dirname(join(home, file)), { recursive: true })
    writeFileSync(join(home, file), content)
  }
  mkdirSync(home, { recursive: true })
  const terminal = new PtyTerminal({
    ...{ file: process.execPath, args: [resolve(path), ...args], cwd: project, ...SIZE },
    variables: { HOME: home, ...variables?.(surroundings) },
  })
  try {
    await terminal.waitFor(() => terminal.readLog().includes('\u001b[?2004h'))
    await waitUntilQuiet(terminal)
    const memoryAtPrompt = readMemory(terminal.pid)
    const keyBytes = await measureKeys(terminal)
    const start = terminal.log.length
    terminal.type('\r')
    await terminal.waitFor(LAST_LINE)
    await waitUntilQuiet(terminal)
    const sequences = findSequences(terminal.readLog())
    const count = (/** @type {string | RegExp} */ kind) => sequences.filter((each) => each.search(kind) === 0).length
    const answerRatio = countBytes(terminal, start) / ANSWER.length
    report(name, [
      { name: 'bytes of a key, median', value: `${keyBytes} bytes` },
      { name: 'bytes written per byte of the answer', value: `${answerRatio.toFixed(2)} ×` },
      { name: '2J, 3J', value: `${count('2J')}, ${count('3J')}` },
      { name: 'alternate screen, scroll regions', value: `${count(/\?1049h/)}, ${count(/\d+;\d+r/)}` },
      { name: 'memory at the prompt', value: `${memoryAtPrompt.toFixed(0)} MB` },
      { name: 'memory after the answer', value: `${readMemory(terminal.pid).toFixed(0)} MB` },
    ])
  } catch {
    const lastRows = terminal
      .readScreen()
      .filter((row) => row !== '')
      .slice(-3)
    report(name, [createUnmeasuredRow(`it shows: ${lastRows.join(' / ')}`)])
  } finally {
    terminal.close()
    await terminal.waitForExit()
    endProcessesOf(folder)
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

/** Ends the processes that an agent has installed in its home folder and left running. @param {string} folder */
function endProcessesOf(folder) {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readlinkSync(`/proc/${pid}/exe`).startsWith(`${folder}/`)) process.kill(Number(pid), 'SIGKILL')
    } catch {
      // The process has ended, or belongs to another user.
    }
  }
}

/** The starts of all control sequences, without their introducer. @param {string} log */
function findSequences(log) {
  return log
    .split('\u001b[')
    .slice(1)
    .map((text) => text.slice(0, 12))
}

/** @param {PtyTerminal} terminal */
async function measureKeys(terminal) {
  /** @type {number[]} */
  const bytes = []
  for (let index = 0; index < PROMPT.length; index++) {
    const start = terminal.log.length
    terminal.type(PROMPT.charAt(index))
    await terminal.waitFor(() => terminal.readText().includes(PROMPT.slice(0, index + 1).trimEnd()))
    await waitUntilQuiet(terminal)
    bytes.push(countBytes(terminal, start))
  }
  return computeMedian(bytes)
}

/** @param {PtyTerminal} terminal */
async function waitUntilQuiet(terminal) {
  for (let length = -1, waits = 0; length !== terminal.log.length && waits < 10; waits++) {
    length = terminal.log.length
    await setTimeout(QUIET_MS)
  }
}

const PIECES = ANSWER.match(/[\s\S]{1,20}/g) ?? []

/** Answers in the protocol of the request. @param {string} path @param {import('node:http').ServerResponse} response */
function answer(path, response) {
  const events = createEvents(path)
  const type = events === undefined ? 'application/json' : 'text/event-stream'
  response.writeHead(200, { 'content-type': type })
  if (events === undefined) response.write(JSON.stringify({ data: [], models: [], totalTokens: 10 }))
  for (const event of events ?? [])
    response.write(`${'type' in event ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`)
  response.end()
}

/** @param {string} path @returns {readonly object[] | undefined} */
function createEvents(path) {
  if (path.startsWith('/v1/messages')) return createAnthropicEvents()
  if (path.startsWith('/v1/responses')) return createOpenAiEvents()
  return path.includes('GenerateContent') ? createGeminiEvents() : undefined
}

function createAnthropicEvents() {
  const usage = { input_tokens: 10, output_tokens: 10 }
  const message = { id: 'm', type: 'message', role: 'assistant', content: [], model: 'm', usage }
  return [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...PIECES.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
    { type: 'message_stop' },
  ]
}

function createOpenAiEvents() {
  const item = { type: 'message', id: 'i', role: 'assistant' }
  const content = [{ type: 'output_text', text: ANSWER, annotations: [] }]
  const usage = { input_tokens: 10, output_tokens: 10, total_tokens: 20 }
  const place = { item_id: 'i', output_index: 0, content_index: 0 }
  return [
    { type: 'response.created', response: { id: 'r' } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
    ...PIECES.map((delta) => ({ type: 'response.output_text.delta', ...place, delta })),
    { type: 'response.output_item.done', output_index: 0, item: { ...item, content } },
    { type: 'response.completed', response: { id: 'r', output: [], usage } },
  ]
}

function createGeminiEvents() {
  return PIECES.map((text, index) => {
    const finish = index === PIECES.length - 1 ? { finishReason: 'STOP' } : {}
    return { candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, ...finish }] }
  })
}
