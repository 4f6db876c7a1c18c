import { countTornRows } from '../../test/terminal/pty-terminal.mjs'
import { computeMedian, interleave } from './interleave.mjs'
import { createRatioRows, createRow, createTimeRow, report } from './report.mjs'
import { measureSpawnTime } from './spawn-time.mjs'
import {
  ask,
  countBytes,
  openFixture,
  readCpuTime,
  readMainCpuTime,
  readMemory,
  SHELL_LINES,
  SIZE,
  waitForAnswer,
  waitForPrompt,
} from './terminal-haft.mjs'
import { ANSWER_TEXT, createAnswerLines } from './terminal-model.mjs'
import { benchPastes } from './terminal-pastes.mjs'

/**
 * Measures the interactive program in a pseudo-terminal of 120 × 40 with a terminal emulator and a model server: 300 calls
 * and an answer of 2,000 lines.
 */
const START_ROUNDS = 15
const CALLS = 300
const LINES = 2_000
/** Rounds of calls and lines, for the growth of memory. */
const ROUNDS = 4
const KEYS = 200
const FRAME_KEYS = 300
const FRAME_ROUNDS = 5
const RESIZES = 20
const KILLS = 50
const TEXT = 'the quick brown fox jumps over the lazy dog '

/** @typedef {import('./terminal-haft.mjs').Fixture} Fixture */
/** @typedef {import('../../test/terminal/pty-terminal.mjs').PtyTerminal} PtyTerminal */

export async function benchProgram() {
  const fixture = await openFixture()
  try {
    await benchStart(fixture)
    await benchLongSession(fixture)
    await benchMemory(fixture)
    await benchResizes(fixture)
    await benchKills(fixture)
    await benchPastes(fixture)
  } finally {
    await fixture.close()
  }
}

/** @param {Fixture} fixture */
async function benchStart(fixture) {
  // Starts twice, so that the measured starts find compiled code in the cache.
  for (let count = 0; count < 2; count++) {
    const terminal = fixture.start()
    await waitForPrompt(terminal)
    terminal.type('\u0004')
    await terminal.waitForExit()
  }
  let echoTime = Number.NaN
  let openTime = Number.NaN
  const results = await interleave({
    rounds: START_ROUNDS,
    cases: [
      { name: 'node -e 0', run: () => measureSpawnTime(['-e', '0']) },
      {
        name: 'prompt is drawn',
        limit: 2.5,
        async run() {
          const terminal = fixture.start()
          await terminal.waitFor(/^>/m)
          const time = performance.now() - terminal.startedAt
          terminal.type('a')
          await terminal.waitFor(/^> a/m)
          echoTime = performance.now() - terminal.startedAt
          await waitForPrompt(terminal)
          openTime = performance.now() - terminal.startedAt
          terminal.close()
          return time
        },
      },
      { name: 'key typed at the start is echoed', limit: 2.5, run: () => echoTime },
      { name: 'session is open', run: () => openTime },
    ],
  })
  report(`Start of haft, median of ${START_ROUNDS} interleaved rounds`, createRatioRows(results, 'ms'))
}

/** @param {Fixture} fixture */
async function benchLongSession(fixture) {
  const { terminal, pid } = await fixture.startInShell()
  const frames = [await measureFrames(terminal, pid)]
  await runRound(terminal, 0)
  const tornRows = countTornRows(terminal.log, SIZE)
  const start = terminal.log.length
  await askForLines(terminal, `lines ${LINES} piece 20 pause 0 of round 100`)
  const answerRatio = countBytes(terminal, start) / createAnswerLines(LINES).join('\n\n').length
  const slowAnswerRatio = await measureSlowAnswer(terminal)
  const keyBytes = await measureKeys(terminal)
  const echo = await measureEcho(terminal, pid, fixture)
  frames.push(await measureFrames(terminal, pid))
  const [shortFrames = Number.NaN, longFrames = Number.NaN] = frames
  terminal.close()
  report(`haft with ${CALLS} calls and ${LINES} lines`, [
    createRow('bytes of a key', keyBytes, 60, 'bytes'),
    createTimeRow('key to echo while an answer arrives, median', echo.haft.median, 3),
    createTimeRow('key to echo while an answer arrives, 99 %', echo.haft.highest, 12),
    createRow('key to echo of a program that only echoes, median', echo.baseline.median, undefined, 'ms'),
    createRow('key to echo of a program that only echoes, 99 %', echo.baseline.highest, undefined, 'ms'),
    createRow('CPU time from key to echo, with that of the emulator, median', echo.cpu.median, 3, 'ms'),
    createRow('CPU time from key to echo, with that of the emulator, 99 %', echo.cpu.highest, 12, 'ms'),
    createRow('CPU time of a key', longFrames / FRAME_KEYS, 3, 'ms'),
    createRow('bytes written per byte of text, answer at once', answerRatio, 1.5, '×'),
    createRow('bytes written per byte of text, 200 words a second', slowAnswerRatio, 1.5, '×'),
    createRow('CPU time of a key, relative to the start of the session', longFrames / shortFrames, 1.1, '×'),
    createRow('torn rows', tornRows, 0, ''),
  ])
}

/** @param {Fixture} fixture */
async function benchMemory(fixture) {
  const { terminal, pid } = await fixture.startInShell()
  const memoryAtPrompt = readMemory(pid)
  /** @type {number[]} */
  const memories = []
  for (let round = 1; round <= ROUNDS; round++) {
    await runRound(terminal, round)
    memories.push(readMemory(pid))
  }
  terminal.close()
  report('Memory of haft with its processes', [
    createRow('at the prompt', memoryAtPrompt, 75, 'MB'),
    ...memories.map((memory, index) =>
      createRow(`after ${(index + 1) * CALLS} calls and ${(index + 1) * LINES} lines`, memory, 110, 'MB'),
    ),
  ])
}

/** @param {PtyTerminal} terminal @param {number} round */
async function runRound(terminal, round) {
  const request = `calls ${CALLS} of round ${round}`
  await ask(terminal, request, `All ${request} have ended.`)
  await askForLines(terminal, `lines ${LINES} piece 20 pause 0 of round ${round}`)
}

/** @param {PtyTerminal} terminal @param {string} request */
async function askForLines(terminal, request) {
  await ask(terminal, request, `End of ${request}.`)
}

/** @param {PtyTerminal} terminal */
async function measureSlowAnswer(terminal) {
  const count = 150
  const request = `lines ${count} piece 5 pause 5 of round 101`
  terminal.type(request)
  await terminal.waitFor(`> ${request}`)
  terminal.type('\r')
  // What is written before the answer arrives depends on the load of the machine.
  await terminal.waitFor(`Line 0 ${ANSWER_TEXT}`)
  const start = terminal.log.length
  await waitForAnswer(terminal, `End of ${request}.`)
  return countBytes(terminal, start) / createAnswerLines(count).slice(1).join('\n\n').length
}

/** Returns the largest number of bytes that are written for a key. @param {PtyTerminal} terminal */
async function measureKeys(terminal) {
  let maxBytes = 0
  for (const key of TEXT + TEXT) {
    const { column } = terminal.readCursor()
    const start = terminal.log.length
    terminal.type(key)
    await terminal.waitFor(() => terminal.readCursor().column === column + 1)
    maxBytes = Math.max(maxBytes, countBytes(terminal, start))
  }
  await clearPrompt(terminal)
  return maxBytes
}

/** @param {PtyTerminal} terminal */
async function clearPrompt(terminal) {
  terminal.type('\u0015')
  await terminal.waitFor(() => terminal.readCursor().column === 2)
}

/**
 * Measures keys in turn with those of a program that only echoes: the load of the machine delays both. On a busy machine
 * most of the time is spent waiting for a processor, so the CPU time is measured, too.
 * @param {PtyTerminal} terminal
 * @param {number} pid
 * @param {Fixture} fixture
 */
async function measureEcho(terminal, pid, fixture) {
  const baseline = fixture.startEcho()
  await baseline.waitFor('ready')
  terminal.type('lines 100000 piece 20 pause 4 of round 102')
  await terminal.waitFor('> lines 100000')
  terminal.type('\r')
  await terminal.waitFor(`Line 10 ${ANSWER_TEXT}`)
  /** @type {{ time: number, cpuTime: number }[]} */
  const keys = []
  /** @type {number[]} */
  const baselineTimes = []
  for (let index = 0; index < KEYS; index++) {
    if (index % 80 === 0 && index > 0) {
      await clearPrompt(terminal)
      baseline.type('\r')
      await baseline.waitFor(() => baseline.readCursor().column === 0)
    }
    const key = TEXT.charAt(index % TEXT.length)
    keys.push(await measureKey(terminal, pid, key))
    baselineTimes.push((await measureKey(baseline, baseline.pid, key)).time)
  }
  baseline.close()
  await clearPrompt(terminal)
  terminal.type('\u001b')
  await waitForAnswer(terminal, 'You interrupted the work.')
  return {
    haft: summarise(keys.map(({ time }) => time)),
    cpu: summarise(keys.map(({ cpuTime }) => cpuTime)),
    baseline: summarise(baselineTimes),
  }
}

/**
 * Returns the time until the cursor has moved, and the CPU time of the program and of this process, which is the terminal.
 * @param {PtyTerminal} terminal
 * @param {number} pid
 * @param {string} key
 */
async function measureKey(terminal, pid, key) {
  const { column } = terminal.readCursor()
  const readCpu = () => readMainCpuTime(pid) + readMainCpuTime(process.pid)
  const cpuBefore = readCpu()
  const start = performance.now()
  terminal.type(key)
  await terminal.waitFor(() => terminal.readCursor().column === column + 1)
  return { time: performance.now() - start, cpuTime: readCpu() - cpuBefore }
}

/** @param {number[]} times */
function summarise(times) {
  const sortedTimes = [...times].sort((a, b) => a - b)
  return { median: computeMedian(times), highest: sortedTimes[Math.floor(times.length * 0.99)] ?? Number.NaN }
}

/** Returns the CPU time of the program for typed keys, as the median of some rounds. @param {PtyTerminal} terminal @param {number} pid */
async function measureFrames(terminal, pid) {
  /** @type {number[]} */
  const costs = []
  for (let round = 0; round <= FRAME_ROUNDS; round++) {
    const timeBefore = readCpuTime(pid)
    for (let index = 0; index < FRAME_KEYS; index++) {
      const isDeleted = index % 2 === 1
      terminal.type(isDeleted ? '\u007f' : 'a')
      await terminal.waitFor(() => terminal.readCursor().column === (isDeleted ? 2 : 3))
    }
    // The first round does not count: V8 still compiles code in it.
    if (round > 0) costs.push(readCpuTime(pid) - timeBefore)
  }
  return computeMedian(costs)
}

/** @param {Fixture} fixture */
async function benchResizes(fixture) {
  const { terminal } = await fixture.startInShell()
  const request = `lines ${LINES} piece 40 pause 2 of round 103`
  terminal.type(request)
  await terminal.waitFor(`> ${request}`)
  terminal.type('\r')
  for (let count = 0; count < RESIZES; count++) {
    await terminal.waitFor(() => terminal.terminal.buffer.normal.length > 200 + count * 150)
    terminal.resize(80 + ((count * 37) % 80), 20 + ((count * 7) % 30))
  }
  await waitForAnswer(terminal, `End of ${request}.`)
  const lines = terminal.readLines().map(withSingleSpaces)
  const answerLines = lines.filter((line) => line.includes(ANSWER_TEXT))
  const wrongLines = createAnswerLines(LINES).filter((line, index) => answerLines[index] !== line).length
  report(`haft after ${RESIZES} resizes`, [
    createRow('sequences that clear or scroll', terminal.findForbiddenSequences().length, 0, ''),
    createRow(
      'lines of the answer lost, duplicated or out of order',
      wrongLines + Math.abs(answerLines.length - LINES),
      0,
      '',
    ),
    createRow('lines of the shell lost', SHELL_LINES.filter((line, index) => lines[index] !== line).length, 0, ''),
  ])
  terminal.close()
}

/** Removes the spaces that make a terminal wrap a line between words. @param {string} line */
function withSingleSpaces(line) {
  return line.replace(/ {2,}/g, ' ')
}

/** @param {Fixture} fixture */
async function benchKills(fixture) {
  let modeCount = 0
  let longestTime = 0
  for (let count = 0; count < KILLS; count++) {
    const { terminal, pid } = await fixture.startInShell()
    terminal.type(
      count % 2 === 0 ? `lines 1000 piece 20 pause 1 of round ${1_000 + count}` : `calls 300 of round ${1_000 + count}`,
    )
    await terminal.waitFor(/> (?:lines|calls) .*\d$/m)
    terminal.type('\r')
    const length = terminal.log.length + 1 + Math.floor((count / KILLS) * 12)
    await terminal.waitFor(() => terminal.log.length > length)
    // In every fifth round, the transcript is open in the alternate screen.
    if (count % 5 === 0) {
      terminal.type('\u000f')
      await terminal.waitFor('Transcript ·')
    }
    const start = performance.now()
    process.kill(pid, 'SIGKILL')
    await terminal.waitUntilRestored()
    longestTime = Math.max(longestTime, performance.now() - start)
    modeCount += terminal.readModes().length
    terminal.close()
  }
  report(`haft after SIGKILL at ${KILLS} moments`, [
    createRow('modes left set', modeCount, 0, ''),
    createTimeRow('longest time until all modes are reset', longestTime, 200),
  ])
}
