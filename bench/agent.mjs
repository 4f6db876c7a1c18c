import './lib/restart-clean.mjs'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { ANSWER, makeAgentPlace } from './lib/agent-place.mjs'
import { interleave, median } from './lib/interleave.mjs'
import { gapsOf, startModelProcess } from './lib/model-process.mjs'
import { ratioRows, report } from './lib/report.mjs'
import { spawnTime } from './lib/spawn-time.mjs'

/**
 * `haft -p` as a whole, against Node doing nothing: asked by a server in another process that speaks the streaming
 * protocol of Anthropic, through the SDK.
 */
const ROUNDS = 15
const READS = 10
const OUTPUT_BYTES = 50_000_000
const MCP_TOOLS = 300
const folder = mkdtempSync(join(tmpdir(), 'haft-bench-agent-'))
const place = makeAgentPlace(folder)
/** @type {{ stop(): unknown }[]} */
const servers = []
try {
  await benchRuns()
  await benchGaps()
  await benchMemory()
  await benchFirstRequest()
} finally {
  for (const server of servers) server.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function benchRuns() {
  const reads = Array.from({ length: READS }, (_, index) => readOf(index))
  const text = await serve('text', [])
  const one = await serve('one-read', [reads.slice(0, 1)])
  const ten = await serve('ten-reads', [reads])
  const results = await interleave({
    rounds: ROUNDS,
    cases: [
      { name: 'node -e 0', run: () => spawnTime(['-e', '0']) },
      { name: 'a text answer', run: () => place.run(text), limit: 5 },
      { name: 'one Read', run: () => place.run(one), limit: 5.5 },
      { name: `${READS} parallel Reads`, run: () => place.run(ten), limit: 6 },
    ],
  })
  report(`haft -p from start to end, median of ${ROUNDS} interleaved rounds`, ratioRows(results, 'ms'))
}

async function benchGaps() {
  const sequential = await serve(
    'sequential-reads',
    Array.from({ length: READS }, (_, index) => [readOf(index)]),
  )
  const five = [Array.from({ length: 5 }, () => bash('sleep 0.5'))]
  const sleeps = await serve('sleeps', five)
  const heldSleeps = await serve('held-sleeps', five)
  for (let round = 0; round < ROUNDS; round++) place.run(sequential)
  // Apart: the system still clears up after the sandboxes of a run when the next one has begun.
  for (let round = 0; round < ROUNDS; round++) place.run({ ...sleeps, args: ['--allowed-tools', 'Bash(sleep:*)'] })
  for (let round = 0; round < ROUNDS; round++) place.run(heldSleeps)
  const gaps = await warmGaps(sequential)
  report('From the end of an answer to the next request, median', [
    gapRow('a Read, each in a turn of its own', gaps.flat(), 4),
    gapRow(
      'the first of them in a process',
      gaps.map(([first = Number.NaN]) => first),
    ),
    gapRow('5 × sleep 0.5 in one turn, allowed by rule', (await warmGaps(sleeps)).flat(), 530),
    gapRow('the same without the rule, in a sandbox', (await warmGaps(heldSleeps)).flat()),
  ])
}

/**
 * Without the first run, in which the server is slow: what it takes is not the agent's.
 * @param {{ runs(): Promise<import('./lib/model-process.mjs').Asked[][]> }} server
 */
async function warmGaps(server) {
  return (await server.runs()).slice(1).map(gapsOf)
}

async function benchMemory() {
  const text = await serve('memory', [])
  const file = place.write('output.txt', 'A line of what a command says, and more of it.\n'.repeat(OUTPUT_BYTES / 47))
  const output = await serve('output', [[bash(`cat ${file}`)]])
  const allowed = { ...output, args: ['--allowed-tools', 'Bash(cat:*)'] }
  /** @type {{ text: number[], output: number[] }} */
  const peaks = { text: [], output: [] }
  for (let round = 0; round < 5; round++) {
    peaks.text.push(await place.peakMemory(text))
    // Timed apart: looking at a process slows it down.
    peaks.output.push(await place.peakMemory(allowed))
    place.run(allowed)
  }
  const timed = (await output.runs()).filter((_, index) => index % 2 === 1)
  report('Memory of all processes together, highest of 5 runs, and 50 MB of output', [
    memoryRow('a text answer', peaks.text, 110),
    memoryRow('50 MB of output', peaks.output, 140),
    gapRow('the gap of 50 MB of output', timed.flatMap(gapsOf), 250),
  ])
}

async function benchFirstRequest() {
  const servers = {
    catalogue: { command: process.execPath, args: [resolve('bench/lib/catalogue-server.mjs'), catalogue()] },
  }
  const file = join(folder, 'mcp.json')
  writeFileSync(file, JSON.stringify({ mcpServers: servers }))
  const native = JSON.stringify({ models: { 'claude-sonnet-5-5': { supportsDeferLoading: true } } })
  const plain = await serve('plain', [])
  const kinds = [
    { name: 'a model that defers tools itself', args: ['--settings', native] },
    { name: 'a model that does not', args: [] },
    {
      name: 'chat completions',
      args: ['--model', 'openai/of-my-own'],
      variables: { OPENAI_BASE_URL: `${plain.url}/v1` },
    },
  ]
  for (const { name: _, ...kind } of kinds) {
    place.run({ ...plain, ...kind })
    place.run({ ...plain, ...kind, args: [...kind.args, '--mcp-config', file] })
  }
  const bodies = (await plain.runs()).map(([request]) => request?.body)
  const [first] = bodies
  const system = first.system.map((/** @type {{ text: string }} */ { text }) => text).join('')
  report('The first request', [
    sizeRow('system prompt', Buffer.byteLength(system), 8000),
    sizeRow(`${first.tools.length} tools`, sizeOf(first.tools), 25_000),
    ...kinds.map(({ name }, index) => {
      const [before, after] = bodies.slice(index * 2, index * 2 + 2)
      return sizeRow(`${MCP_TOOLS} tools of a server: ${name}`, sizeOf(after) - sizeOf(before), 4000)
    }),
  ])
}

/** A server's definitions as long as those of real ones are. */
function catalogue() {
  const things = [
    'issue',
    'commit',
    'page',
    'customer',
    'invoice',
    'calendar_event',
    'deployment',
    'dashboard',
    'ticket',
    'branch',
  ]
  const verbs = ['list', 'get', 'create', 'update', 'delete', 'search']
  const tools = Array.from({ length: MCP_TOOLS }, (_, index) => {
    const thing = things[index % things.length]
    const verb = verbs[Math.floor(index / things.length) % verbs.length]
    return {
      name: `${verb}_${thing}_${Math.floor(index / 60)}`,
      description: `${verb} a ${thing} of the workspace that the key belongs to. `
        .concat('Needs the right to see it. ')
        .repeat(2),
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(
          ['workspace', 'id', 'title', 'page', 'per_page'].map((field) => [
            field,
            { type: 'string', description: `The ${field} of the ${thing}, as the list has it` },
          ]),
        ),
        required: ['workspace'],
      },
    }
  })
  const file = join(folder, 'catalogue.json')
  writeFileSync(file, JSON.stringify({ tools }))
  return file
}

/**
 * A server for runs whose answers are made of these calls, and then of text.
 * @param {string} name
 * @param {readonly (readonly object[])[]} turns
 */
async function serve(name, turns) {
  const answers = [...turns, [{ text: ANSWER }]].map((parts) => ({ parts, pieceSize: 16 }))
  const server = await startModelProcess({ folder, name, turns: answers })
  servers.push(server)
  return server
}

/** @param {number} index */
function readOf(index) {
  const file_path = place.write(`file-${index}.txt`, `A line of file ${index}.\n`.repeat(100))
  return { call: 'Read', input: { file_path } }
}

/** @param {string} command */
function bash(command) {
  return { call: 'Bash', input: { command, description: 'Part of the bench' } }
}

/** @param {unknown} value */
function sizeOf(value) {
  return Buffer.byteLength(JSON.stringify(value))
}

/**
 * @param {string} name
 * @param {readonly number[]} gaps
 * @param {number} [limit]
 */
function gapRow(name, gaps, limit) {
  const gap = median(gaps)
  return {
    name,
    value: `${gap.toFixed(1)} ms`,
    ...(limit !== undefined && { limit: `${limit.toFixed(1)} ms`, isOver: !(gap <= limit) }),
  }
}

/**
 * @param {string} name
 * @param {readonly number[]} peaks
 * @param {number} limit
 */
function memoryRow(name, peaks, limit) {
  const peak = Math.max(...peaks) / 1e6
  return { name, value: `${peak.toFixed(0)} MB`, limit: `${limit} MB`, isOver: peak > limit }
}

/**
 * @param {string} name
 * @param {number} bytes
 * @param {number} limit
 */
function sizeRow(name, bytes, limit) {
  return { name, value: `${bytes} bytes`, limit: `${limit}`, isOver: bytes > limit }
}
