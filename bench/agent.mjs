import './lib/restart-clean.mjs'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createAgentFixture, FINAL_ANSWER } from './lib/agent-fixture.mjs'
import { computeMedian, interleave } from './lib/interleave.mjs'
import { gapsOf, startModelProcess } from './lib/model-process.mjs'
import { createRatioRows, isOverLimit, report } from './lib/report.mjs'
import { runParts } from './lib/run-parts.mjs'
import { measureSpawnTime } from './lib/spawn-time.mjs'

/**
 * Measures whole runs of `haft -p`, relative to Node without a program. The model is a local server in another process with
 * Anthropic's streaming protocol; requests are made with the SDK.
 */
const ROUND_COUNT = 15
const READ_COUNT = 10
const OUTPUT_BYTES = 50_000_000
const MCP_TOOL_COUNT = 300
const folder = mkdtempSync(join(tmpdir(), 'haft-bench-agent-'))
const fixture = createAgentFixture(folder)
/** @type {{ stop(): unknown }[]} */
const servers = []
try {
  await runParts({ runs: benchRuns, gaps: benchGaps, memory: benchMemory, 'first-request': benchFirstRequest })
} finally {
  for (const server of servers) server.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function benchRuns() {
  const reads = Array.from({ length: READ_COUNT }, (_, index) => createReadCall(index))
  const textAnswer = await startServer('text', [])
  const oneReadServer = await startServer('one-read', [reads.slice(0, 1)])
  const tenReads = await startServer('ten-reads', [reads])
  const results = await interleave({
    rounds: ROUND_COUNT,
    cases: [
      { name: 'node -e 0', run: () => measureSpawnTime(['-e', '0']) },
      { name: 'a text answer', run: () => fixture.run(textAnswer), limit: 4 },
      { name: 'one Read', run: () => fixture.run(oneReadServer), limit: 5.5 },
      { name: `${READ_COUNT} parallel Reads`, run: () => fixture.run(tenReads), limit: 6 },
    ],
  })
  report(`haft -p from start to end, median of ${ROUND_COUNT} interleaved rounds`, createRatioRows(results, 'ms'))
}

async function benchGaps() {
  const reads = Array.from({ length: READ_COUNT }, (_, index) => [createReadCall(index)])
  const sequentialReads = await startServer('sequential-reads', reads)
  const flushedReads = await startServer('flushed-reads', reads)
  const fiveSleeps = [Array.from({ length: 5 }, () => createBashCall('sleep 0.5'))]
  const sleeps = await startServer('sleeps', fiveSleeps)
  const sandboxedSleeps = await startServer('sandboxed-sleeps', fiveSleeps)
  for (let round = 0; round < ROUND_COUNT; round++) {
    fixture.run(sequentialReads)
    fixture.run({ ...flushedReads, args: ['--settings', '{"fsync":true}'] })
  }
  // The cases are not interleaved: the operating system is still removing the sandboxes of one run when the next one starts.
  for (let round = 0; round < ROUND_COUNT; round++)
    fixture.run({ ...sleeps, args: ['--allowed-tools', 'Bash(sleep:*)'] })
  for (let round = 0; round < ROUND_COUNT; round++) fixture.run(sandboxedSleeps)
  const gaps = await measureWarmGaps(sequentialReads)
  report('From the end of an answer to the next request, median', [
    createGapRow('ten turns with one Read each', gaps.flat(), 4),
    createGapRow('the same with fsync', (await measureWarmGaps(flushedReads)).flat()),
    createGapRow(
      'the first turn of each process',
      gaps.map(([first = Number.NaN]) => first),
    ),
    createGapRow('5 × sleep 0.5 in one turn, allowed by a rule', (await measureWarmGaps(sleeps)).flat(), 550),
    createGapRow('the same without the rule, in a sandbox', (await measureWarmGaps(sandboxedSleeps)).flat()),
  ])
}

/**
 * Returns the gaps of all runs except the first, in which V8 still compiles the code of the server.
 * @param {{ runs(): Promise<import('./lib/model-process.mjs').ReceivedRequest[][]> }} server
 */
async function measureWarmGaps(server) {
  return (await server.runs()).slice(1).map(gapsOf)
}

async function benchMemory() {
  const textAnswer = await startServer('memory', [])
  const file = fixture.write('output.txt', 'A line of the output of a command: 47 bytes...\n'.repeat(OUTPUT_BYTES / 47))
  const output = await startServer('output', [[createBashCall(`cat ${file}`)]])
  const allowedOutput = { ...output, args: ['--allowed-tools', 'Bash(cat:*)'] }
  /** @type {{ text: number[], output: number[] }} */
  const peaks = { text: [], output: [] }
  for (let round = 0; round < 5; round++) {
    peaks.text.push(await fixture.measurePeakMemory(textAnswer))
    peaks.output.push(await fixture.measurePeakMemory(allowedOutput))
    // This run measures only the time, because watching the memory of a process slows it down.
    fixture.run(allowedOutput)
  }
  const timedRuns = (await output.runs()).filter((_, index) => index % 2 === 1)
  report('Memory of all processes together, highest of 5 runs; and a command with 50 MB of output', [
    createMemoryRow('a text answer', peaks.text, 110),
    createMemoryRow('50 MB of output', peaks.output, 140),
    createGapRow('from that command to the next request', timedRuns.flatMap(gapsOf), 250),
  ])
}

async function benchFirstRequest() {
  const servers = {
    catalogue: { command: process.execPath, args: [resolve('bench/lib/catalogue-server.mjs'), writeCatalogue()] },
  }
  const file = join(folder, 'mcp.json')
  writeFileSync(file, JSON.stringify({ mcpServers: servers }))
  const nativeSettings = JSON.stringify({ models: { 'claude-sonnet-5-5': { supportsDeferLoading: true } } })
  const plainServer = await startServer('plain', [])
  const kinds = [
    { name: 'a model with deferred tools', args: ['--settings', nativeSettings] },
    { name: 'a model without', args: [] },
    {
      name: 'chat completions',
      args: ['--model', 'openai/any-model'],
      variables: { OPENAI_BASE_URL: `${plainServer.url}/v1` },
    },
  ]
  for (const { name: _, ...kind } of kinds) {
    fixture.run({ ...plainServer, ...kind })
    fixture.run({ ...plainServer, ...kind, args: [...kind.args, '--mcp-config', file] })
  }
  const bodies = (await plainServer.runs()).map(([request]) => request?.body)
  const [firstBody] = bodies
  const system = firstBody.system.map((/** @type {{ text: string }} */ { text }) => text).join('')
  report('The first request', [
    createSizeRow('system prompt', Buffer.byteLength(system), 8000),
    createSizeRow(`${firstBody.tools.length} tools`, measureSize(firstBody.tools), 25_000),
    ...kinds.map(({ name }, index) => {
      const [bodyBefore, bodyAfter] = bodies.slice(index * 2, index * 2 + 2)
      return createSizeRow(
        `added by ${MCP_TOOL_COUNT} tools of a server: ${name}`,
        measureSize(bodyAfter) - measureSize(bodyBefore),
        4000,
      )
    }),
  ])
}

/** Writes definitions of about the length that real servers have. */
function writeCatalogue() {
  const subjects = [
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
  const tools = Array.from({ length: MCP_TOOL_COUNT }, (_, index) => {
    const subject = subjects[index % subjects.length]
    const verb = verbs[Math.floor(index / subjects.length) % verbs.length]
    return {
      name: `${verb}_${subject}_${Math.floor(index / 60)}`,
      description: `${verb} a ${subject} of the workspace that the API key belongs to. `
        .concat('Requires read access. ')
        .repeat(2),
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(
          ['workspace', 'id', 'title', 'page', 'per_page'].map((field) => [
            field,
            { type: 'string', description: `The ${field} of the ${subject}, as returned by the list` },
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
 * Starts a model server that answers each run with these calls, turn by turn, and then with text.
 * @param {string} name
 * @param {readonly (readonly object[])[]} turns
 */
async function startServer(name, turns) {
  const answers = [...turns, [{ text: FINAL_ANSWER }]].map((parts) => ({ parts, pieceSize: 16 }))
  const server = await startModelProcess({ folder, name, turns: answers })
  servers.push(server)
  return server
}

/** @param {number} index */
function createReadCall(index) {
  const file_path = fixture.write(`file-${index}.txt`, `A line of file ${index}.\n`.repeat(100))
  return { call: 'Read', input: { file_path } }
}

/** @param {string} command */
function createBashCall(command) {
  return { call: 'Bash', input: { command, description: 'Part of the bench' } }
}

/** @param {unknown} value */
function measureSize(value) {
  return Buffer.byteLength(JSON.stringify(value))
}

/**
 * @param {string} name
 * @param {readonly number[]} gaps
 * @param {number} [limit]
 */
function createGapRow(name, gaps, limit) {
  const gap = computeMedian(gaps)
  return {
    name,
    value: `${gap.toFixed(1)} ms`,
    ...(limit !== undefined && { limit: `${limit.toFixed(1)} ms`, isOver: isOverLimit(gap, limit) }),
  }
}

/**
 * @param {string} name
 * @param {readonly number[]} peaks
 * @param {number} limit
 */
function createMemoryRow(name, peaks, limit) {
  const peakMegabytes = Math.max(...peaks) / 1e6
  return {
    name,
    value: `${peakMegabytes.toFixed(0)} MB`,
    limit: `${limit} MB`,
    isOver: isOverLimit(peakMegabytes, limit),
  }
}

/**
 * @param {string} name
 * @param {number} bytes
 * @param {number} limit
 */
function createSizeRow(name, bytes, limit) {
  return { name, value: `${bytes} bytes`, limit: `${limit}`, isOver: isOverLimit(bytes, limit) }
}
