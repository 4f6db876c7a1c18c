import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { json } from 'node:stream/consumers'
import { countTornRows } from '../../test/terminal/pty-terminal.mjs'
import { computeMedian, interleave } from './interleave.mjs'
import { createRatioRows, isOverLimit, report } from './report.mjs'
import { measureSpawnTime } from './spawn-time.mjs'
import {
  ask,
  countBytes,
  openWorkplace,
  readCpuTime,
  readMemory,
  SHELL_LINES,
  SIZE,
  waitForAnswer,
  waitForPrompt,
} from './terminal-haft.mjs'
import { ANSWER_TEXT, createAnswerLines } from './terminal-model.mjs'

/**
 * The interactive program in a pseudo-terminal of 120 × 40 with a terminal emulator and a model server: 300 calls and an
 * answer of 2,000 lines.
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

/** @typedef {import('./terminal-haft.mjs').Workplace} Workplace */
/** @typedef {import('../../test/terminal/pty-terminal.mjs').PtyTerminal} PtyTerminal */

export async function benchProgram() {
  const workplace = await openWorkplace()
  try {
    await benchStart(workplace)
    await benchLongSession(workplace)
    await benchMemory(workplace)
    await benchResizes(workplace)
    await benchKills(workplace)
    await benchPastes(workplace)
  } finally {
    workplace.close()
  }
}

/** @param {string} name @param {number} value @param {number | undefined} limit @param {string} unit */
export function row(name, value, limit, unit) {
  const number = Number.isInteger(value) ? String(value) : value.toFixed(2)
  return {
    name,
    value: `${number} ${unit}`.trim(),
    ...(limit !== undefined && { limit: `${limit} ${unit}`.trim(), isOver: isOverLimit(value, limit) }),
  }
}

/** @param {Workplace} workplace */
async function benchStart(workplace) {
  // The second start finds compiled code.
  for (let count = 0; count < 2; count++) {
    const terminal = workplace.start()
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
          const terminal = workplace.start()
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
      { name: 'key that is typed at once is answered', limit: 2.5, run: () => echoTime },
      { name: 'session is open', run: () => openTime },
    ],
  })
  report(`Start of haft, median of ${START_ROUNDS} interleaved rounds`, createRatioRows(results, 'ms'))
}

/** @param {Workplace} workplace */
async function benchLongSession(workplace) {
  const { terminal, pid } = await workplace.startInShell()
  const frames = [await measureFrames(terminal, pid)]
  await workRound(terminal, 0)
  const torn = countTornRows(terminal.log, SIZE)
  const start = terminal.log.length
  await askForLines(terminal, `lines ${LINES} piece 20 pause 0 of round 100`)
  const answer = countBytes(terminal, start) / createAnswerLines(LINES).join('\n\n').length
  const slow = await measureSlowAnswer(terminal)
  const keyBytes = await measureKeys(terminal)
  const echo = await measureEcho(terminal)
  frames.push(await measureFrames(terminal, pid))
  const [shortFrames = Number.NaN, longFrames = Number.NaN] = frames
  terminal.close()
  report(`haft with ${CALLS} calls and ${LINES} lines`, [
    row('bytes of a key', keyBytes, 60, 'bytes'),
    row('key to echo while an answer arrives, median', echo.median, 3, 'ms'),
    row('key to echo while an answer arrives, 99 %', echo.highest, 12, 'ms'),
    row('bytes of an answer at once to its text', answer, 1.5, '×'),
    row('bytes of an answer of 200 words a second to its text', slow, 2, '×'),
    row('CPU time of a key, now to at the start', longFrames / shortFrames, 1.1, '×'),
    row('torn rows', torn, 0, ''),
  ])
}

/** @param {Workplace} workplace */
async function benchMemory(workplace) {
  const { terminal, pid } = await workplace.startInShell()
  const memoryAtPrompt = readMemory(pid)
  /** @type {number[]} */
  const memories = []
  for (let round = 1; round <= ROUNDS; round++) {
    await workRound(terminal, round)
    memories.push(readMemory(pid))
  }
  terminal.close()
  report('Memory of haft with its processes', [
    row('at the prompt', memoryAtPrompt, 75, 'MB'),
    ...memories.map((memory, index) =>
      row(`after ${(index + 1) * CALLS} calls and ${(index + 1) * LINES} lines`, memory, 110, 'MB'),
    ),
  ])
}

/** @param {PtyTerminal} terminal @param {number} round */
async function workRound(terminal, round) {
  const wish = `calls ${CALLS} of round ${round}`
  await ask(terminal, wish, `All ${wish} have ended.`)
  await askForLines(terminal, `lines ${LINES} piece 20 pause 0 of round ${round}`)
}

/** @param {PtyTerminal} terminal @param {string} wish */
async function askForLines(terminal, wish) {
  await ask(terminal, wish, `End of ${wish}.`)
}

/** @param {PtyTerminal} terminal */
async function measureSlowAnswer(terminal) {
  const count = 40
  const wish = `lines ${count} piece 5 pause 5 of round 101`
  terminal.type(wish)
  await terminal.waitFor(`> ${wish}`)
  const start = terminal.log.length
  terminal.type('\r')
  await waitForAnswer(terminal, `End of ${wish}.`)
  return countBytes(terminal, start) / createAnswerLines(count).join('\n\n').length
}

/** The most bytes that are written for a key. @param {PtyTerminal} terminal */
async function measureKeys(terminal) {
  let most = 0
  for (const key of TEXT + TEXT) {
    const { column } = terminal.readCursor()
    const start = terminal.log.length
    terminal.type(key)
    await terminal.waitFor(() => terminal.readCursor().column === column + 1)
    most = Math.max(most, countBytes(terminal, start))
  }
  await clearPrompt(terminal)
  return most
}

/** @param {PtyTerminal} terminal */
async function clearPrompt(terminal) {
  terminal.type('\u0015')
  await terminal.waitFor(() => terminal.readCursor().column === 2)
}

/** @param {PtyTerminal} terminal */
async function measureEcho(terminal) {
  terminal.type('lines 100000 piece 20 pause 1 of round 102')
  await terminal.waitFor('> lines 100000')
  terminal.type('\r')
  await terminal.waitFor(`Line 10 ${ANSWER_TEXT}`)
  /** @type {number[]} */
  const times = []
  for (let index = 0; index < KEYS; index++) {
    const column = (index % 80) + 2
    if (column === 2 && index > 0) await clearPrompt(terminal)
    const start = performance.now()
    terminal.type(TEXT.charAt(index % TEXT.length))
    await terminal.waitFor(() => terminal.readCursor().column === column + 1)
    times.push(performance.now() - start)
  }
  await clearPrompt(terminal)
  terminal.type('\u001b')
  await waitForAnswer(terminal, 'Interrupted.')
  const sortedTimes = times.sort((a, b) => a - b)
  return { median: computeMedian(times), highest: sortedTimes[Math.floor(KEYS * 0.99)] ?? Number.NaN }
}

/** CPU time of the program for keys that are typed, the median of some rounds. @param {PtyTerminal} terminal @param {number} pid */
async function measureFrames(terminal, pid) {
  /** @type {number[]} */
  const costs = []
  for (let round = 0; round <= FRAME_ROUNDS; round++) {
    const before = readCpuTime(pid)
    for (let index = 0; index < FRAME_KEYS; index++) {
      const isDeleted = index % 2 === 1
      terminal.type(isDeleted ? '\u007f' : 'a')
      await terminal.waitFor(() => terminal.readCursor().column === (isDeleted ? 2 : 3))
    }
    // The first round only warms up.
    if (round > 0) costs.push(readCpuTime(pid) - before)
  }
  return computeMedian(costs)
}

/** @param {Workplace} workplace */
async function benchResizes(workplace) {
  const { terminal } = await workplace.startInShell()
  const wish = `lines ${LINES} piece 40 pause 1 of round 103`
  terminal.type(wish)
  await terminal.waitFor(`> ${wish}`)
  terminal.type('\r')
  for (let count = 0; count < RESIZES; count++) {
    await terminal.waitFor(() => terminal.terminal.buffer.normal.length > 200 + count * 150)
    terminal.resize(80 + ((count * 37) % 80), 20 + ((count * 7) % 30))
  }
  await waitForAnswer(terminal, `End of ${wish}.`)
  const lines = terminal.readLines()
  const answer = lines.filter((line) => line.includes(ANSWER_TEXT))
  const wrongLines = createAnswerLines(LINES).filter((line, index) => answer[index] !== line).length
  report(`haft after ${RESIZES} resizes`, [
    row('sequences that clear or scroll', terminal.findForbiddenSequences().length, 0, ''),
    row('lines of the answer lost, doubled or out of order', wrongLines + Math.abs(answer.length - LINES), 0, ''),
    row('lines of the shell lost', SHELL_LINES.filter((line, index) => lines[index] !== line).length, 0, ''),
  ])
  terminal.close()
}

/** @param {Workplace} workplace */
async function benchPastes(workplace) {
  const { terminal } = await workplace.startInShell()
  /** @param {number} size */
  const paste = async (size) => {
    const line = 'a line with a tab\tand ümlauts 漢字 🙂\n'
    const text = `${line.repeat(Math.ceil(size / line.length)).slice(0, size)}end of ${size}`
    const start = performance.now()
    terminal.type(`\u001b[200~${text.replaceAll('\n', '\r')}\u001b[201~`)
    await terminal.waitFor(/Pasted text/)
    const time = performance.now() - start
    terminal.type('\r')
    await waitForAnswer(terminal, `Received ${text.length} characters.`)
    const hash = createHash('sha256').update(text).digest('hex')
    const isReceived = (await readTexts(workplace.url)).some((sent) => hashEnd(sent, text.length) === hash)
    return { time, differs: isReceived ? 0 : 1 }
  }
  const small = await paste(100_000)
  const large = await paste(1_000_000)
  terminal.close()
  report('Pastes into haft, as the model server receives them', [
    row('100 kB: differs', small.differs, 0, ''),
    row('1 MB: differs', large.differs, 0, ''),
    row('1 MB: time until it is shown', large.time, 200, 'ms'),
  ])
}

/** @param {string} text @param {number} length */
function hashEnd(text, length) {
  return createHash('sha256').update(text.slice(-length)).digest('hex')
}

/** Texts of all requests. @param {string} url @returns {Promise<string[]>} */
async function readTexts(url) {
  const response = await new Promise((resolve) => get(`${url}/requests`, resolve))
  /** @type {any} */
  const requests = await json(response)
  return requests.flatMap((/** @type {any} */ { body }) =>
    body.messages.flatMap((/** @type {any} */ { content }) =>
      typeof content === 'string' ? [content] : content.flatMap((/** @type {any} */ part) => part.text ?? []),
    ),
  )
}

/** @param {Workplace} workplace */
async function benchKills(workplace) {
  let modes = 0
  let longest = 0
  for (let count = 0; count < KILLS; count++) {
    const { terminal, pid } = await workplace.startInShell()
    terminal.type(
      count % 2 === 0 ? `lines 1000 piece 20 pause 1 of round ${1_000 + count}` : `calls 300 of round ${1_000 + count}`,
    )
    await terminal.waitFor(/> (?:lines|calls) .*\d$/m)
    terminal.type('\r')
    const length = terminal.log.length + 1 + Math.floor((count / KILLS) * 30)
    await terminal.waitFor(() => terminal.log.length > length)
    // Every fifth time the transcript is open, in the alternate screen.
    if (count % 5 === 0) {
      terminal.type('\u000f')
      await terminal.waitFor('Transcript ·')
    }
    const start = performance.now()
    process.kill(pid, 'SIGKILL')
    await terminal.waitUntilRestored()
    longest = Math.max(longest, performance.now() - start)
    modes += terminal.readModes().length
    terminal.close()
  }
  report(`haft after SIGKILL at ${KILLS} moments`, [
    row('modes left set', modes, 0, ''),
    row('time until all are reset, longest', longest, 200, 'ms'),
  ])
}

/** The load of the machine, which the reader of the figures has to know. */
export function readLoad() {
  return readFileSync('/proc/loadavg', 'utf8').split(' ').slice(0, 3).join(' ')
}
