import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ServerPart, ServerRequest, ServerTurn } from '../src/testing/models/server/server-turn.js'
import { startModelServer } from '../src/testing/models/server/start-model-server.js'
import { createHeadlessFixture } from './lib/headless-fixture.js'
import { findBrokenParts, type RequestParts, splitParts } from './lib/request-prefix.js'

const { at, run } = createHeadlessFixture()

const SESSION_ID = 'long'
const FORK_TASK = 'Count the lines of a.txt.'
const use = (name: string, input: object): ServerPart => ({ call: name, input })
const search = (name: string) => use('ToolSearch', { query: `select:${name}` })

/** The turns of the model in the first process, and in the process that resumes the session. */
const FIRST_PROCESS_TURNS: readonly (readonly ServerPart[])[] = [
  [{ thinking: 'First I look.' }, { text: 'I look.' }, use('Read', { file_path: 'a.txt' })],
  [use('Bash', { command: 'seq 1 30000' })],
  [search('mcp__notes__save')],
  [use('mcp__notes__save', { text: 'first' })],
  [use('Write', { file_path: 'b.txt', content: 'beta\n' }), use('Read', { file_path: 'a.txt' })],
  [search('mcp__frail__look')],
  [use('mcp__frail__look', { text: 'second' })],
  [use('Glob', { pattern: '*.txt' }), use('Agent', { description: 'count', prompt: FORK_TASK, subagent_type: 'fork' })],
  [use('Edit', { file_path: 'b.txt', old_string: 'beta', new_string: 'gamma' })],
  [use('Bash', { command: 'seq 1 40000' }), use('Bash', { command: 'no-such-program' })],
  [use('TodoWrite', { todos: [{ content: 'Go on', activeForm: 'Going on', status: 'in_progress' }] })],
  [use('Grep', { pattern: 'gamma' })],
  [use('Nothing', {})],
  [{ text: 'The first half is done.' }],
]
const SECOND_PROCESS: readonly (readonly ServerPart[])[] = [
  [use('mcp__notes__save', { text: 'third' })],
  [use('mcp__frail__look', { text: 'fourth' })],
  [use('Read', { file_path: 'b.txt' })],
  // The MCP server `frail` is killed just before the model makes this call.
  [use('mcp__frail__look', { text: 'lost' })],
  [use('mcp__frail__look', { text: 'still lost' })],
  [use('Bash', { command: 'seq 1 30000' })],
  [search('mcp__notes__list')],
  [use('mcp__notes__list', { text: 'fifth' })],
  [use('Agent', { description: 'count', prompt: FORK_TASK, subagent_type: 'fork' })],
  [use('Write', { file_path: 'c.txt', content: 'x'.repeat(5_000) })],
  [use('Read', { file_path: 'c.txt' })],
  [use('Bash', { command: 'mkdir sub && cd sub && pwd' })],
  [use('Bash', { command: 'cd .. && ls' })],
  [use('Grep', { pattern: 'x', output_mode: 'count' })],
  [use('Glob', { pattern: '**/*' })],
  [{ text: 'All of it is done.' }],
]
const KILL_INDEX = SECOND_PROCESS.findIndex(([part]) => JSON.stringify(part).includes('"lost"'))

interface Scenario {
  readonly name: string
  readonly type: 'anthropic' | 'openai'
  readonly supportsDeferLoading: boolean
  /** Whether the MCP server `frail` fails to start for the second process. Otherwise it is killed during that process. */
  readonly isLostBeforeResume?: boolean
}

const SCENARIOS: readonly Scenario[] = [
  { name: 'anthropic, native tool search', type: 'anthropic', supportsDeferLoading: true },
  {
    name: 'anthropic, native tool search, lost server',
    type: 'anthropic',
    supportsDeferLoading: true,
    isLostBeforeResume: true,
  },
  {
    name: 'anthropic, portable tool search, lost server',
    type: 'anthropic',
    supportsDeferLoading: false,
    isLostBeforeResume: true,
  },
  { name: 'openai, portable tool search', type: 'openai', supportsDeferLoading: false },
]

test.each(SCENARIOS)(
  'in a session of 30 turns each request starts with the previous one, across a resume and a lost server: $name',
  { timeout: 120_000 },
  async (scenario) => {
    const { supportsDeferLoading, isLostBeforeResume = false } = scenario
    const { requests, outputs } = await converse(scenario)

    expect(outputs).toEqual([
      { code: 0, stdout: 'The first half is done.\n', stderr: '' },
      { code: 0, stdout: 'All of it is done.\n', stderr: expect.any(String) },
    ])
    const mainRequests = requests.filter(({ body }) => !isForkRequest(body)).map(({ body }) => splitParts(body))
    expect(mainRequests).toHaveLength(FIRST_PROCESS_TURNS.length + SECOND_PROCESS.length)
    expect(
      mainRequests
        .slice(1)
        .flatMap((laterRequest, index) => findBrokenParts(mainRequests[index] as RequestParts, laterRequest)),
    ).toEqual([])
    const addedTools = mainRequests
      .slice(1)
      .flatMap(({ tools }, index) => tools.slice(mainRequests[index]?.tools.length))
    expect(addedTools.map(nameOf)).toEqual(['mcp__notes__save', 'mcp__frail__look', 'mcp__notes__list'])
    const deferredTools = mainRequests
      .at(-1)
      ?.tools.filter((tool) => (tool as { defer_loading?: boolean }).defer_loading === true)
    expect(deferredTools?.map(nameOf)).toEqual(
      supportsDeferLoading ? ['haft_deferred_tools', ...addedTools.map(nameOf)] : [],
    )
    // Every event that the scenario needs has occurred.
    const lastMessages = JSON.stringify(mainRequests.at(-1)?.messages)
    expect(lastMessages).not.toContain('\\n15000\\n')
    for (const word of ['first', 'second', 'third', 'fifth']) expect(lastMessages).toContain(`noted ${word}`)
    expect(lastMessages.includes('noted fourth')).toBe(!isLostBeforeResume)
    expect(lastMessages).not.toMatch(/noted (still )?lost/)
    expect(lastMessages.match(/One line\./g)).toHaveLength(2)

    const forkIndexes = requests.flatMap(({ body }, index) => (isForkRequest(body) ? [index] : []))
    expect(forkIndexes).toHaveLength(4)
    for (const index of forkIndexes) {
      const [previousBody, fork] = [requests[index - 1]?.body, requests[index]?.body]
      expect([index, findBrokenParts(splitParts(previousBody), splitParts(fork))]).toEqual([index, []])
    }
  },
)

/** Runs both halves of the session through the command line. Returns their outputs and all requests to the model. */
async function converse({ type, supportsDeferLoading, isLostBeforeResume = false }: Scenario) {
  const turns = [...FIRST_PROCESS_TURNS, ...SECOND_PROCESS].values()
  let mainTurns = 0
  const respond = ({ body }: ServerRequest): ServerTurn => {
    if (isForkRequest(body)) return { parts: chooseForkParts(body) }
    if (mainTurns++ === FIRST_PROCESS_TURNS.length + KILL_INDEX && !isLostBeforeResume) killServer()
    const { value } = turns.next()
    return value === undefined ? { status: 500 } : { parts: value }
  }
  const server = await startModelServer([respond], { shouldRepeat: true })
  onTestFinished(() => server.close())
  const baseUrl = type === 'openai' ? `${server.url}/v1` : server.url
  const settings = { providers: { local: { type, baseUrl, apiKey: 'key', supportsDeferLoading } } }
  const args = ['--settings', JSON.stringify(settings), '--model', 'local/claude-local', '--trust']
  const rules = ['--allowed-tools', 'Bash,Edit(*),mcp__notes,mcp__frail']
  const servers = [
    '--mcp-config',
    JSON.stringify({
      mcpServers: { notes: createMcpServer('notes', ['save', 'list']), frail: createMcpServer('frail', ['look']) },
    }),
  ]
  const first = await run(['-p', 'Begin.', '--session-id', SESSION_ID, ...args, ...rules, ...servers])
  if (isLostBeforeResume) writeFileSync(at('frail.gone'), '')
  const second = await run(['-p', 'Go on.', '--resume', SESSION_ID, ...args, ...rules, ...servers])
  return { requests: server.requests, outputs: [first, second] }
}

function isForkRequest(body: unknown): boolean {
  return JSON.stringify(body).includes('You are the fork.')
}

/** A fork reads a file, then answers. */
function chooseForkParts({ messages }: { messages: readonly unknown[] }): readonly ServerPart[] {
  const hasRead = !JSON.stringify(messages.at(-1)).includes('You are the fork.')
  return hasRead ? [{ text: 'One line.' }] : [use('Read', { file_path: 'a.txt', limit: 1 })]
}

/** A server that writes its process id to a file and does not start once its `.gone` file exists. */
function createMcpServer(name: string, tools: readonly string[]) {
  const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
  const plan = {
    prefix: 'noted ',
    tools: tools.map((tool) => ({ name: tool, description: `Does ${tool} for ${name}`, inputSchema })),
  }
  const [pidFile, goneFile] = [at(`${name}.pid`), at(`${name}.gone`)]
  const start = `test -e ${goneFile} && exit 1; echo $$ > ${pidFile}; exec "$0" "$@"`
  const program = [process.execPath, resolve('test/fixtures/mcp/server.mjs'), JSON.stringify(plan)]
  return { command: '/bin/sh', args: ['-c', start, ...program] }
}

function killServer(): void {
  writeFileSync(at('frail.gone'), '')
  process.kill(Number(readFileSync(at('frail.pid'), 'utf8')), 'SIGKILL')
}

function nameOf(tool: unknown): string {
  const { name, function: definition } = tool as { name?: string; function?: { name: string } }
  return name ?? definition?.name ?? ''
}
