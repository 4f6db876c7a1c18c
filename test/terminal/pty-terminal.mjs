import { execFileSync } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { spawn } from '@lydell/node-pty'
import { createXterm, FORBIDDEN_SEQUENCES, readLines, writeNow } from './xterm.mjs'

/** Lines that the shell has printed before the program. */
export const SHELL_LINES = Array.from({ length: 100 }, (_, index) => `shell line ${index}`)

/** How long to wait for a screen before the test fails. */
const MAX_WAIT_MS = 60_000

/**
 * A program in a pseudo-terminal with a terminal emulator that answers its queries. Everything the program writes is kept.
 */
export class PtyTerminal {
  /** The output in the order of its arrival, with the time in milliseconds. */
  log = /** @type {{ time: number, text: string }[]} */ ([])
  /** @type {import('@lydell/node-pty').IPty} */
  #pty
  #terminal
  /** @type {Set<() => void>} */
  #listeners = new Set()
  /** Output that the terminal has not read yet; undefined unless `hold` was called. @type {string[] | undefined} */
  #held
  /** @type {number | undefined} */
  exitCode

  /**
   * @param {{
   *   file: string, args?: readonly string[], cwd?: string, columns?: number, rows?: number,
   *   variables?: Readonly<Record<string, string | undefined>>, isAmbiguousWide?: boolean,
   * }} options
   */
  constructor({
    file,
    args = [],
    cwd = process.cwd(),
    columns = 120,
    rows = 40,
    variables = {},
    isAmbiguousWide = false,
  }) {
    this.#terminal = createXterm({ columns, rows, isAmbiguousWide })
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, TERM: 'xterm-256color', TERM_PROGRAM: 'vscode' }
    this.startedAt = performance.now()
    this.#pty = spawn(file, [...args], { cwd, cols: columns, rows, env: { ...env, ...variables } })
    this.#pty.onData((text) => {
      this.log.push({ time: performance.now(), text })
      if (this.#held === undefined) this.#terminal.write(text, () => this.#notify())
      else {
        this.#held.push(text)
        this.#notify()
      }
    })
    this.#terminal.onData((answer) => this.#pty.write(answer))
    this.#pty.onExit(({ exitCode }) => {
      this.exitCode = exitCode
      this.#notify()
    })
  }

  get pid() {
    return this.#pty.pid
  }

  get terminal() {
    return this.#terminal
  }

  /** @param {string} keys */
  type(keys) {
    this.#pty.write(keys)
  }

  /** @param {number} columns @param {number} rows */
  resize(columns, rows) {
    this.#terminal.resize(columns, rows)
    this.#pty.resize(columns, rows)
  }

  /** From now on the terminal reads nothing, like one that is very slow, until it is resized. */
  hold() {
    this.#held ??= []
  }

  /** Waits until the program has written something that the terminal has not read. */
  async waitForHeldOutput() {
    await this.waitFor(() => (this.#held?.length ?? 0) > 0)
  }

  /** Resizes the terminal, which then reads what was held. @param {number} columns @param {number} rows */
  resizeAndRead(columns, rows) {
    this.resize(columns, rows)
    const held = this.#held ?? []
    this.#held = undefined
    this.#terminal.write(held.join(''), () => this.#notify())
  }

  /** The visible rows. */
  readScreen() {
    const { active } = this.#terminal.buffer
    return Array.from({ length: this.#terminal.rows }, (_, row) =>
      (active.getLine(active.baseY + row)?.translateToString(true) ?? '').trimEnd(),
    )
  }

  /** The visible text, without the line breaks of wrapped lines. */
  readText() {
    const { active } = this.#terminal.buffer
    return this.readScreen()
      .map((text, row) => (active.getLine(active.baseY + row + 1)?.isWrapped === true ? text : `${text}\n`))
      .join('')
  }

  /** Logical lines of scrollback and screen. */
  readLines() {
    return readLines(this.#terminal)
  }

  /** The position of the cursor, and the text of its row. */
  readCursor() {
    const { active } = this.#terminal.buffer
    const text = active.getLine(active.baseY + active.cursorY)?.translateToString(true) ?? ''
    return { row: active.cursorY, column: active.cursorX, text: text.trimEnd() }
  }

  /** All output so far. */
  readLog() {
    return this.log.map(({ text }) => text).join('')
  }

  findForbiddenSequences() {
    return this.readLog().match(FORBIDDEN_SEQUENCES) ?? []
  }

  /**
   * Waits until the text of the screen contains or matches the argument, or until the condition is true.
   * @param {string | RegExp | (() => boolean)} expected
   */
  async waitFor(expected) {
    const isTrue = () => {
      if (typeof expected === 'function') return expected()
      const text = this.readText()
      return typeof expected === 'string' ? text.includes(expected) : expected.test(text)
    }
    // Checks once at the start, then after each chunk of output.
    await new Promise((resolve, reject) => {
      const check = () => {
        if (!isTrue()) return
        clearTimeout(timer)
        this.#listeners.delete(check)
        resolve(undefined)
      }
      const timer = globalThis.setTimeout(() => {
        this.#listeners.delete(check)
        reject(new Error(`The terminal did not show ${expected}. It shows:\n${this.readScreen().join('\n')}`))
      }, MAX_WAIT_MS)
      this.#listeners.add(check)
      check()
    })
  }

  waitForExit() {
    return this.waitFor(() => this.exitCode !== undefined)
  }

  /** Modes that a program has set and not reset, for example `?2004` or `keyboard`. */
  readModes() {
    return findModes(this.readLog())
  }

  /** Whether the line is in raw mode, according to `stty`. */
  isRaw() {
    const { _pty: path } = /** @type {{ _pty: string }} */ (/** @type {unknown} */ (this.#pty))
    return / -icanon/.test(execFileSync('stty', ['-a', '-F', path], { encoding: 'utf8' }))
  }

  /**
   * Waits until no mode of `readModes` is set and the line is not raw, which is polled because it produces no output.
   */
  async waitUntilRestored() {
    await this.waitFor(() => this.readModes().length === 0)
    while (this.isRaw()) await setTimeout(1)
    // The modes are read from the output, which the emulator may not have handled yet.
    await new Promise((resolve) => this.#terminal.write('', () => resolve(undefined)))
  }

  /** Ends the program with SIGKILL. */
  close() {
    try {
      this.#pty.kill('SIGKILL')
    } catch {
      // The program has already ended.
    }
    this.#terminal.dispose()
  }

  #notify() {
    for (const listener of this.#listeners) listener()
  }
}

const SYNC_START = '\u001b[?2026h'
const SYNC_END = '\u001b[?2026l'

/** Modes that a terminal has at its start. */
const INITIAL_MODES = new Set(['?7', '?25'])

/**
 * Returns the modes that the output leaves different from the initial ones.
 * @param {string} output
 */
function findModes(output) {
  const modes = new Set(INITIAL_MODES)
  let keyboardLevel = 0
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals understand control characters
  for (const [, marker, parameters = '', final] of output.matchAll(/\u001b\[([<>?])([\d;]*)([hlum])/g)) {
    const kind = `${marker}${final}`
    if (kind === '>u') keyboardLevel++
    if (kind === '<u') keyboardLevel = Math.max(0, keyboardLevel - 1)
    if (kind === '?h') modes.add(`?${parameters}`)
    if (kind === '?l') modes.delete(`?${parameters}`)
    if (kind === '>m') parameters === '4;2' ? modes.add('modifyOtherKeys') : modes.delete('modifyOtherKeys')
  }
  const changedModes = [...modes, ...INITIAL_MODES].filter((mode) => modes.has(mode) !== INITIAL_MODES.has(mode))
  return keyboardLevel > 0 ? [...changedModes, 'keyboard'] : changedModes
}

/**
 * Counts lines that were empty in one state of the screen although they were the same before and after it. States within a
 * synchronised update are not visible. A line keeps its number when the screen scrolls.
 * @param {readonly { text: string }[]} log without resizes
 * @param {{ columns: number, rows: number }} size
 */
export function countTornRows(log, size) {
  const terminal = createXterm(size)
  /** @type {Map<number, string>[]} */
  let states = []
  let isUpdating = false
  let tornRows = 0
  /** The end of the text before, because a chunk may begin inside a sequence. */
  let textBefore = ''
  for (const { text } of log) {
    writeNow(terminal, text)
    const joinedText = textBefore + text
    textBefore = joinedText.slice(-SYNC_START.length + 1)
    const starts = joinedText.lastIndexOf(SYNC_START)
    const ends = joinedText.lastIndexOf(SYNC_END)
    if (starts !== ends) isUpdating = starts > ends
    if (isUpdating) continue
    const { active } = terminal.buffer
    const lines = new Map(
      Array.from({ length: size.rows }, (_, row) => {
        const index = active.baseY + row
        return [index, active.getLine(index)?.translateToString(true) ?? '']
      }),
    )
    states = [...states.slice(-2), lines]
    const [before, now, after] = states
    if (after === undefined) continue
    for (const [index, line] of after)
      if (line !== '' && line === before?.get(index) && now?.get(index) === '') tornRows++
  }
  terminal.dispose()
  return tornRows
}
