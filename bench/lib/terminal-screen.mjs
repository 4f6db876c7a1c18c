import { createHash } from 'node:crypto'
import { buildScreenProgram, startScreen } from '../../test/terminal/driven-screen.mjs'
import { countTornRows, SHELL_LINES } from '../../test/terminal/pty-terminal.mjs'
import { computeMedian } from './interleave.mjs'
import { createRow, report } from './report.mjs'

/**
 * Measures the screen and the editor in a pseudo-terminal of 120 × 40 with a terminal emulator: the bytes that they write, the
 * time from a key to its echo, and the state of the terminal after resizes and after SIGKILL.
 */
const SIZE = { columns: 120, rows: 40 }
const ANSWER_LINES = 2_000
const ANSWER_TEXT = 'of the answer, which is as long as lines of prose and code usually are'
const KEY_COUNT = 200
const FRAME_COUNT = 2_000
const FRAME_ROUNDS = 9
const KILL_COUNT = 50
const TEXT = 'the quick brown fox jumps over the lazy dog '

/** @typedef {Awaited<ReturnType<typeof startScreen>>} DrivenScreen */

export async function benchScreen() {
  const { program, remove } = await buildScreenProgram()
  try {
    const keysInShortText = await withScreen(program, (screen) => measureKeys(screen, 10))
    const keysInLongText = await withScreen(program, (screen) => measureKeys(screen, 10_000))
    const echo = await withScreen(program, measureEcho)
    const wordAnswer = await withScreen(program, (screen) =>
      measureAnswer(screen, { intervalMs: 4, isByWord: true, count: 100 }),
    )
    const slowAnswer = await withScreen(program, (screen) =>
      measureAnswer(screen, { intervalMs: 1, count: ANSWER_LINES }),
    )
    const fastAnswer = await withScreen(program, (screen) =>
      measureAnswer(screen, { intervalMs: 0, count: ANSWER_LINES }),
    )
    report('Bytes and times', [
      createRow('bytes of a key at the end of the text, 10 lines', keysInShortText.end, 60, 'bytes'),
      createRow('bytes of a key at the end of the text, 10,000 lines', keysInLongText.end, 60, 'bytes'),
      createRow('bytes of a key inside the text, 10,000 lines', keysInLongText.inside, 60, 'bytes'),
      createRow('key to echo while an answer arrives, median', echo.median, 3, 'ms'),
      createRow('key to echo while an answer arrives, 99 %', echo.highest, 12, 'ms'),
      createRow('bytes written per byte of text, 200 words a second', wordAnswer.ratio, 2, '×'),
      createRow('bytes written per byte of text, 500 lines a second', slowAnswer.ratio, 1.5, '×'),
      createRow('bytes written per byte of text, answer at once', fastAnswer.ratio, 1.5, '×'),
      createRow('torn rows', wordAnswer.tornRows + slowAnswer.tornRows + fastAnswer.tornRows, 0, ''),
      createRow('CPU time of a frame, 10,000 lines relative to 10', await measureFrames(program), 1.1, '×'),
    ])
    const resizeResult = await withScreen(program, measureResizes)
    report('After 20 resizes', [
      createRow('sequences that clear or scroll', resizeResult.forbidden, 0, ''),
      createRow('lines of the answer lost, duplicated or out of order', resizeResult.wrongLines, 0, ''),
      createRow('lines of the shell lost', resizeResult.lostShellLines, 0, ''),
    ])
    const smallPaste = await withScreen(program, (screen) => measurePaste(screen, 100_000))
    const largePaste = await withScreen(program, (screen) => measurePaste(screen, 1_000_000))
    report('Pastes', [
      createRow('100 kB: differs', smallPaste.differs, 0, ''),
      createRow('1 MB: differs', largePaste.differs, 0, ''),
      createRow('1 MB: time until it is shown', largePaste.time, 200, 'ms'),
    ])
    const killResult = await measureKills(program)
    report(`SIGKILL at ${KILL_COUNT} moments`, [
      createRow('modes left set', killResult.modes, 0, ''),
      createRow('longest time until all modes are reset', killResult.longest, 200, 'ms'),
    ])
  } finally {
    remove()
  }
}

/**
 * @template T
 * @param {string} program
 * @param {(screen: DrivenScreen) => Promise<T>} measure
 */
async function withScreen(program, measure) {
  const screen = await startScreen({ program, ...SIZE })
  try {
    return await measure(screen)
  } finally {
    screen.close()
  }
}

/** @param {DrivenScreen} screen @param {number} lineCount */
async function commitLines({ terminal, send }, lineCount) {
  await send({ stream: { count: lineCount, intervalMs: 0, text: 'line of the transcript' } })
  await terminal.waitFor(`${lineCount - 1} line of the transcript`)
}

/**
 * Returns the largest number of bytes that are written for a key.
 * @param {DrivenScreen} screen
 * @param {number} lineCount
 */
async function measureKeys(screen, lineCount) {
  await commitLines(screen, lineCount)
  const end = await typeText(screen, TEXT + TEXT)
  screen.terminal.type('\u001b[D'.repeat(40))
  const { length } = `> ${TEXT}${TEXT}`
  await screen.terminal.waitFor(() => screen.terminal.readCursor().column === length - 40)
  const inside = await typeText(screen, 'inserted text')
  return { end, inside }
}

/**
 * Types key by key. Returns the largest number of bytes for a key.
 * @param {DrivenScreen} screen
 * @param {string} text
 */
async function typeText({ terminal }, text) {
  let maxBytes = 0
  for (const key of text) {
    const { column } = terminal.readCursor()
    const logLength = terminal.readLog().length
    terminal.type(key)
    await terminal.waitFor(() => terminal.readCursor().column === column + 1)
    maxBytes = Math.max(maxBytes, Buffer.byteLength(terminal.readLog().slice(logLength)))
  }
  return maxBytes
}

/** @param {DrivenScreen} screen */
async function measureEcho(screen) {
  const { terminal, send } = screen
  await commitLines(screen, 10_000)
  const streaming = send({ stream: { count: 1_000_000, intervalMs: 2, text: ANSWER_TEXT } })
  streaming.catch(() => {})
  /** @type {number[]} */
  const times = []
  for (let index = 0; index < KEY_COUNT; index++) {
    const key = TEXT.charAt(index % TEXT.length)
    const column = (index % 80) + 2
    if (column === 2 && index > 0) {
      terminal.type('\u0015')
      await terminal.waitFor(() => terminal.readCursor().column === 2)
    }
    const start = performance.now()
    terminal.type(key)
    await terminal.waitFor(() => terminal.readCursor().column === column + 1)
    times.push(performance.now() - start)
  }
  const sortedTimes = times.sort((a, b) => a - b)
  return { median: computeMedian(times), highest: sortedTimes[Math.floor(times.length * 0.99)] ?? Number.NaN }
}

/**
 * @param {DrivenScreen} screen
 * @param {{ intervalMs: number, isByWord?: boolean, count: number }} stream
 */
async function measureAnswer({ terminal, send }, { intervalMs, isByWord = false, count }) {
  const start = terminal.log.length
  await send({ stream: { count, intervalMs, isByWord, text: ANSWER_TEXT } })
  await terminal.waitFor(`${count - 1} ${ANSWER_TEXT}`)
  const writtenBytes = terminal.log.slice(start).reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  return { ratio: writtenBytes / createAnswer(count).join('\n').length, tornRows: countTornRows(terminal.log, SIZE) }
}

/** @param {number} count */
function createAnswer(count) {
  return Array.from({ length: count }, (_, index) => `${index} ${ANSWER_TEXT}`)
}

/** @param {string} program */
async function measureFrames(program) {
  const shortScreen = await startScreen({ program, ...SIZE })
  const longScreen = await startScreen({ program, ...SIZE })
  await commitLines(shortScreen, 10)
  await commitLines(longScreen, 10_000)
  /** @type {number[]} */
  const ratios = []
  for (let round = 0; round <= FRAME_ROUNDS; round++) {
    const baseline = Number(await shortScreen.send({ frames: FRAME_COUNT }))
    const cost = Number(await longScreen.send({ frames: FRAME_COUNT }))
    // The first round does not count: V8 still compiles code in it.
    if (round > 0) ratios.push(cost / baseline)
  }
  shortScreen.close()
  longScreen.close()
  return computeMedian(ratios)
}

/** @param {DrivenScreen} screen */
async function measureResizes({ terminal, send }) {
  const streaming = send({ stream: { count: ANSWER_LINES, intervalMs: 1, text: ANSWER_TEXT } })
  for (let count = 0; count < 20; count++) {
    await terminal.waitFor(() => terminal.terminal.buffer.normal.length > 150 + count * 80)
    terminal.resize(80 + ((count * 37) % 80), 20 + ((count * 7) % 30))
  }
  await streaming
  await terminal.waitFor(`${ANSWER_LINES - 1} ${ANSWER_TEXT}`)
  const lines = terminal.readLines()
  const answer = lines.filter((line) => line.endsWith(ANSWER_TEXT))
  const expected = createAnswer(ANSWER_LINES)
  const wrongLines = expected.filter((line, index) => answer[index] !== line).length
  return {
    forbidden: terminal.findForbiddenSequences().length,
    wrongLines: wrongLines + Math.abs(answer.length - expected.length),
    lostShellLines: SHELL_LINES.filter((line, index) => lines[index] !== line).length,
  }
}

/** @param {DrivenScreen} screen @param {number} size */
async function measurePaste({ terminal }, size) {
  const line = 'a line with a tab\tand ümlauts 漢字 🙂\n'
  const text = line.repeat(Math.ceil(size / line.length)).slice(0, size)
  const hash = createHash('sha256').update(text).digest('hex')
  const start = performance.now()
  terminal.type(`\u001b[200~${text.replaceAll('\n', '\r')}\u001b[201~`)
  await terminal.waitFor(/Pasted text/)
  const time = performance.now() - start
  terminal.type('\r')
  await terminal.waitFor(/you: /)
  return { time, differs: terminal.readText().includes(hash) ? 0 : 1 }
}

/** @param {string} program */
async function measureKills(program) {
  let modeCount = 0
  let longestTime = 0
  for (let count = 0; count < KILL_COUNT; count++) {
    await withScreen(program, async ({ terminal, pid, post }) => {
      post({ stream: { count: 10_000, intervalMs: 1, text: ANSWER_TEXT } })
      if (count % 5 === 0) post({ alternate: ['a transcript'] })
      const length = 1 + Math.floor((count / KILL_COUNT) * 40)
      await terminal.waitFor(() => terminal.log.length > length || count % 5 === 0)
      const start = performance.now()
      process.kill(pid, 'SIGKILL')
      await terminal.waitUntilRestored()
      longestTime = Math.max(longestTime, performance.now() - start)
      modeCount += terminal.readModes().length
    })
  }
  return { modes: modeCount, longest: longestTime }
}
