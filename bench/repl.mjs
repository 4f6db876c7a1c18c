import './lib/restart-clean.mjs'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtInTools, createToolRuntime } from 'haft'
import { computeMedian, interleave } from './lib/interleave.mjs'
import { createRatioRows, isOverLimit, report } from './lib/report.mjs'

/** Measures code mode: how fast code starts, what calls from code cost, and how soon endless code ends. */
const FILE_COUNT = 50
const LINES_PER_FILE = 200
const ROUNDS = 15
const MAX_START_MS = 40
const MAX_CALL_RATIO = 1.3
const MAX_TOKEN_SHARE = 0.1
const LOOP_MS = 500
const MAX_LATE_MS = 100

const folder = mkdtempSync(join(tmpdir(), 'haft-bench-repl-'))
const runtime = createToolRuntime({
  tools: builtInTools,
  permissions: { allow: ['Read'] },
  cwd: folder,
  machine: { homeDir: folder },
})
let callCount = 0
try {
  await measureStart()
  await measureCalls()
  await measureEndlessLoop()
} finally {
  await runtime.dispose()
  rmSync(folder, { recursive: true, force: true })
}

async function measureStart() {
  const firstMs = await measureWallTime(() => runCode('1'))
  const times = []
  for (let round = 0; round < ROUNDS; round++) times.push(await measureWallTime(() => runCode('1')))
  const median = computeMedian(times)
  report('Starting code', [
    { name: 'the first time, with the process of the interpreter', value: `${firstMs.toFixed(0)} ms` },
    {
      name: `after that, median of ${ROUNDS}`,
      value: `${median.toFixed(1)} ms`,
      limit: `${MAX_START_MS} ms`,
      isOver: isOverLimit(median, MAX_START_MS),
    },
  ])
}

async function measureCalls() {
  let directChars = 0
  let codeChars = 0
  const readDirectly = async () => {
    const paths = createFiles()
    return measureWallTime(async () => {
      directChars = countChars(await run(paths.map((file_path) => ({ name: 'Read', input: { file_path } }))))
    })
  }
  const readFromCode = async () => {
    const paths = createFiles()
    const first = paths[0]?.replace('0.txt', '') ?? ''
    const code = `const files = await Promise.all(Array.from({ length: ${FILE_COUNT} }, (_, i) => tools.Read({ file_path: "${first}" + i + ".txt" })))
files.filter(({ lines }) => lines.some((line) => line.includes("needle"))).map(({ path }) => path)`
    return measureWallTime(async () => {
      codeChars = code.length + countChars(await runCode(code))
    })
  }
  const results = await interleave({
    rounds: ROUNDS,
    cases: [
      { name: `${FILE_COUNT} Reads in one message`, run: readDirectly },
      { name: `${FILE_COUNT} Reads from code`, run: readFromCode, limit: MAX_CALL_RATIO },
    ],
  })
  report(`Wall time, median of ${ROUNDS} interleaved rounds`, createRatioRows(results, 'ms'))
  const share = codeChars / directChars
  report('What the model reads and writes for it', [
    { name: `directly (${directChars} characters)`, value: '1.000×' },
    {
      name: `from code (${codeChars} characters)`,
      value: `${share.toFixed(3)}×`,
      limit: `${MAX_TOKEN_SHARE}×`,
      isOver: isOverLimit(share, MAX_TOKEN_SHARE),
    },
  ])
}

async function measureEndlessLoop() {
  const times = []
  for (let round = 0; round < 5; round++) {
    const call = { name: 'REPL', input: { code: 'for (;;);', timeout: LOOP_MS } }
    times.push((await measureWallTime(() => run([call], { mayFail: true }))) - LOOP_MS)
  }
  const median = computeMedian(times)
  report('Endless loop', [
    {
      name: `ends after its time of ${LOOP_MS} ms, median of 5`,
      value: `+${median.toFixed(0)} ms`,
      limit: `${MAX_LATE_MS} ms`,
      isOver: isOverLimit(median, MAX_LATE_MS),
    },
  ])
}

/** Creates new files, because a file that the model has read before is answered in one line. */
function createFiles() {
  const subfolder = join(folder, `files-${++callCount}`)
  mkdirSync(subfolder)
  return Array.from({ length: FILE_COUNT }, (_, index) => {
    const path = join(subfolder, `${index}.txt`)
    const lines = Array.from({ length: LINES_PER_FILE }, (_, line) => `line ${line} of file ${index}`)
    writeFileSync(path, [...lines, ...(index === 7 ? ['needle'] : [])].join('\n'))
    return path
  })
}

/** @param {string} code */
function runCode(code) {
  return run([{ name: 'REPL', input: { code } }])
}

/**
 * @param {readonly { name: string, input: unknown }[]} calls
 * @param {{ mayFail?: boolean }} options
 */
async function run(calls, { mayFail = false } = {}) {
  const blocks = calls.map(({ name, input }) => ({
    type: /** @type {const} */ ('tool_use'),
    id: `toolu_${++callCount}`,
    name,
    input,
  }))
  const results = await runtime.run(blocks).results
  const failure = results.find(({ is_error }) => is_error === true)
  // The time of a failed call would be meaningless.
  if (failure !== undefined && !mayFail) throw new Error(JSON.stringify(failure.content))
  return results
}

/** @param {readonly { content: unknown }[]} results */
function countChars(results) {
  return results.reduce((sum, { content }) => sum + (typeof content === 'string' ? content.length : 0), 0)
}

/** @param {() => unknown} action */
async function measureWallTime(action) {
  const start = process.hrtime.bigint()
  await action()
  return Number(process.hrtime.bigint() - start) / 1e6
}
