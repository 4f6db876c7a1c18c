import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createXterm, FORBIDDEN_SEQUENCES, readLines, writeNow } from '../../../test/terminal/xterm.mjs'
import { createPropertyOptions } from '../../testing/property-runs.js'
import type { StyledLine } from '../../views/styled-line.js'
import { chooseTheme } from '../../views/themes.js'
import { toAnsi } from '../../views/to-ansi.js'
import { wrapLines } from '../../views/wrap-lines.js'
import { MainView } from './main-view.js'
import { readReply } from './modes.js'
import type { Footer } from './painter.js'

const SHELL_LINES = ['$ ls', 'README.md src test', '$ haft']
const theme = chooseTheme({ variables: { TERM: 'xterm-256color' } })

/**
 * The main view with a real terminal emulator, below what a shell has printed. The terminal reads what was written, and
 * the view reads its replies, when `settle` or `step` is called.
 */
function openTerminal({ columns = 40, rows = 10, hasSync = true, hasReports = true } = {}) {
  const terminal = createXterm({ columns, rows, convertEol: true })
  let written = ''
  const replies: string[] = []
  let size = { columns, rows }
  let now = 0
  let footer: (columns: number) => Footer = () => ({ lines: [] })
  const view: MainView = new MainView({
    variables: { TERM_PROGRAM: 'vscode' },
    toAnsi: (line) => toAnsi(line, theme),
    write: (text) => {
      written += text
    },
    readSize: () => size,
    now: () => now,
    onResize: () => {
      view.footer = footer(view.painter.columns)
    },
  })
  Object.assign(view.painter, { hasSync, hasReports })
  terminal.onData((reply) => replies.push(reply))
  writeNow(terminal, SHELL_LINES.map((line) => `${line}\r\n`).join(''))
  const read = () => {
    const text = written
    written = ''
    writeNow(terminal, text)
    return text
  }
  const receive = () => {
    const reply = readReply(replies.shift() ?? '')
    if (reply?.type === 'position' && view.handlePosition(reply.column)) view.draw({ isForKey: false })
  }
  const settle = () => {
    let text = ''
    while (written !== '' || replies.length > 0 || view.hasCommits) {
      text += read()
      if (replies.length > 0) receive()
      else if (view.hasCommits) view.draw({ isForKey: false })
    }
    return text
  }
  return {
    terminal,
    view,
    /** Draws a frame that the terminal has not read yet. */
    draw(lines: readonly StyledLine[], nextFooter: (columns: number) => Footer) {
      footer = nextFooter
      view.commit(lines)
      view.footer = footer(view.painter.columns)
      view.draw({ isForKey: false })
    },
    /** Draws the effect of a key. */
    drawKey() {
      view.footer = footer(view.painter.columns)
      view.draw({ isForKey: true })
    },
    wait(ms: number) {
      now += ms
    },
    paint(lines: readonly StyledLine[], nextFooter: Footer) {
      this.draw(lines, () => nextFooter)
      return settle()
    },
    /** The terminal changes its size, before it reads what was written. */
    resizeTerminal(newColumns: number, newRows: number) {
      terminal.resize(newColumns, newRows)
      size = { columns: newColumns, rows: newRows }
    },
    resize(newColumns: number, newRows: number) {
      this.resizeTerminal(newColumns, newRows)
      view.resize()
      settle()
    },
    read,
    receive,
    settle,
    /** Logical lines from the first line of the scrollback, without empty ones at the end. */
    readLines: () => readLines(terminal),
    readCursor() {
      const { cursorX, cursorY, baseY } = terminal.buffer.active
      return {
        column: cursorX,
        text: terminal.buffer.active
          .getLine(baseY + cursorY)
          ?.translateToString(true)
          .trimEnd(),
      }
    },
  }
}

const toLine = (text: string): StyledLine => [{ text }]
const toText = (line: StyledLine): string => line.map(({ text }) => text).join('')
const footerOf = (...rows: string[]): Footer => ({ lines: rows.map(toLine) })

test('committed lines appear once above the footer', () => {
  const screen = openTerminal()
  screen.paint([], footerOf('> ', 'status'))
  screen.paint([toLine('one'), toLine('two')], footerOf('> ', 'status'))
  screen.paint([toLine('three')], footerOf('> ', 'status'))

  expect(screen.readLines()).toEqual([...SHELL_LINES, 'one', 'two', 'three', '>', 'status'])
})

test('a long line is wrapped by the terminal, so it is copied as one line', () => {
  const screen = openTerminal()
  const long = 'word '.repeat(30).trim()
  screen.paint([], footerOf('> ', 'status'))
  screen.paint([toLine(long)], footerOf('> ', 'status'))
  screen.resize(60, 10)
  screen.paint([], footerOf('> ', 'status'))

  expect(screen.readLines()).toEqual([...SHELL_LINES, long, '>', 'status'])
})

test('more lines than fit on the screen all reach the scrollback', () => {
  const screen = openTerminal()
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`)
  screen.paint([], footerOf('> ', 'status'))
  screen.paint(lines.map(toLine), footerOf('> ', 'status'))

  expect(screen.readLines()).toEqual([...SHELL_LINES, ...lines, '>', 'status'])
})

describe('the number of bytes', () => {
  const longText = 'a text that is typed at the prompt of a wide terminal and goes on for more than eighty columns'
  const typed = (text: string, column = text.length): Footer => ({
    lines: [toLine(`> ${text}`), [{ text: 'status', style: { tone: 'muted' } }]],
    cursor: { row: 0, column: column + 2 },
  })

  test.each([
    ['typing at the end', typed(longText), typed(`${longText}x`), 11],
    ['typing in the middle', typed(longText, 4), typed(`a tex!${longText.slice(5)}`, 6), 20],
    ['deleting at the end', typed(longText), typed(longText.slice(0, -1)), 20],
    ['deleting in the middle', typed(longText, 4), typed(`a t${longText.slice(4)}`, 3), 20],
    ['moving the caret', typed(longText), typed(longText, 10), 10],
    ['nothing', typed(longText), typed(longText), 0],
  ])('of %s does not depend on the length of the text', (_, before, after, limit) => {
    const screen = openTerminal({ columns: 120, rows: 40 })
    screen.paint([], before)
    expect(Buffer.byteLength(screen.paint([], after))).toBeLessThanOrEqual(limit)
    expect(screen.readLines()).toEqual([...SHELL_LINES, ...after.lines.map(toText)])
  })

  test('of a committed line does not include the footer', () => {
    const screen = openTerminal({ columns: 120, rows: 40 })
    const footer = footerOf('', '> '.padEnd(80, 'x'), 'status '.repeat(10))
    screen.paint([], footer)
    expect(Buffer.byteLength(screen.paint([toLine('a line of the answer')], footer))).toBeLessThanOrEqual(20 + 60)
  })

  test('of rows that only move from the footer to the transcript is small', () => {
    const screen = openTerminal({ columns: 120, rows: 40 })
    const open = ['first line of a code block', 'second line', 'third line']
    screen.paint([], { ...footerOf(...open, '> '), cursor: { row: 3, column: 2 } })
    const bytes = screen.paint(open.map(toLine), { ...footerOf('> '), cursor: { row: 0, column: 2 } })
    expect(bytes).toBe('')
    expect(screen.readLines()).toEqual([...SHELL_LINES, ...open, '>'])
  })
})

/** Text with spaces inside, without spaces at its ends: these cannot be told from empty cells. */
const words = fc
  .array(fc.constantFrom('a', 'word', 'longer-word', '–', '漢字', '🙂', 'é', '👩‍👩‍👧', 'ﷺ', '12345678901234567890'), {
    maxLength: 9,
  })
  .map((list) => list.join(' '))
const styledLine = fc
  .tuple(words, fc.constantFrom<StyledLine[0]['style']>(undefined, { bold: true }, { tone: 'accent' }))
  .map(([text, style]): StyledLine => (style === undefined ? [{ text }] : [{ text, style }]))
const drawing = (maxFooter: number) =>
  fc.record({
    lines: fc.array(styledLine, { maxLength: 6 }),
    footer: fc.array(styledLine, { maxLength: maxFooter }),
    hasCursor: fc.boolean(),
  })
const resizing = fc.oneof(
  fc.record({ columns: fc.integer({ min: 20, max: 60 }) }),
  fc.record({ rows: fc.integer({ min: 9, max: 14 }) }),
)

function trimLines(lines: readonly string[]): string[] {
  const trimmedLines = lines.map((line) => line.trimEnd())
  while (trimmedLines.at(-1) === '') trimmedLines.pop()
  return trimmedLines
}

function withCursor(lines: readonly StyledLine[], hasCursor: boolean): Footer {
  return { lines, ...(hasCursor && lines.length > 0 && { cursor: { row: lines.length - 1, column: 2 } }) }
}

test.each([
  ['without resizes', fc.array(drawing(9), { maxLength: 20 }), 9],
  // A footer that is taller than the screen after a resize has already scrolled away in part.
  ['with resizes', fc.array(fc.oneof({ weight: 3, arbitrary: drawing(3) }, resizing), { maxLength: 20 }), 3],
])('%s, each committed line and each row of the footer is there once and in order', (_, steps, maxFooter) => {
  fc.assert(
    fc.property(steps, fc.boolean(), fc.boolean(), (steps, hasSync, hasReports) => {
      let size = { columns: 40, rows: 10 }
      const screen = openTerminal({ ...size, hasSync, hasReports: hasReports || maxFooter === 3 })
      const committed: string[] = []
      let source: readonly StyledLine[] = []
      const footerFor = (columns: number) => wrapLines(source, columns).slice(0, maxFooter)
      for (const each of steps) {
        const { lines = [], hasCursor = false } = 'lines' in each ? each : {}
        if ('lines' in each) source = each.footer
        else {
          size = { ...size, ...each }
          screen.resize(size.columns, size.rows)
        }
        committed.push(...lines.map(toText))
        screen.draw(lines, (columns) => withCursor(footerFor(columns), hasCursor))
        expect(screen.settle()).not.toMatch(FORBIDDEN_SEQUENCES)
        const footer = footerFor(size.columns)
        expect(screen.readLines()).toEqual(trimLines([...SHELL_LINES, ...committed, ...footer.map(toText)]))
        if (hasCursor && footer.length > 0)
          expect(screen.readCursor()).toEqual({ column: 2, text: toText(footer.at(-1) ?? []).trimEnd() })
      }
    }),
    createPropertyOptions(60),
  )
})

describe('a terminal that reads late', () => {
  const answer = fc
    .array(fc.constantFrom('a', 'word', 'longer-word', '12345678901234567890'), { minLength: 1, maxLength: 9 })
    .map((list) => list.join(' '))
  /** The answer grows, the terminal reads or replies, its size changes, or the program is told about that. */
  const step: fc.Arbitrary<(screen: AnswerScreen) => void> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ lines: fc.array(answer, { maxLength: 3 }), open: answer }).map(
        ({ lines, open }) =>
          (screen: AnswerScreen) =>
            screen.answer(lines, open),
      ),
    },
    { weight: 2, arbitrary: fc.constant(({ terminal }: AnswerScreen) => void terminal.read()) },
    { weight: 2, arbitrary: fc.constant(({ terminal }: AnswerScreen) => terminal.receive()) },
    {
      weight: 2,
      arbitrary: fc.tuple(fc.integer({ min: 25, max: 60 }), fc.integer({ min: 15, max: 30 })).map(
        ([columns, rows]) =>
          ({ terminal }: AnswerScreen) =>
            terminal.resizeTerminal(columns, rows),
      ),
    },
    { weight: 1, arbitrary: fc.constant(({ terminal }: AnswerScreen) => terminal.view.resize()) },
    { weight: 2, arbitrary: fc.constant((screen: AnswerScreen) => screen.type('k')) },
  )

  /** A prompt below an answer that arrives. */
  class AnswerScreen {
    readonly terminal = openTerminal({ columns: 40, rows: 24 })
    readonly #committed = ['first', 'second', 'third', 'fourth']
    #open = ''
    #typed = ''

    constructor() {
      this.terminal.paint(this.#committed.map(toLine), footerOf('> prompt'))
    }

    answer(lines: readonly string[], open: string): void {
      this.#committed.push(...lines)
      this.#open = open
      this.terminal.draw(lines.map(toLine), (columns) => this.#footer(columns))
    }

    type(character: string): void {
      this.#typed = this.#typed.length < 12 ? this.#typed + character : ''
      this.terminal.drawKey()
    }

    expectEachLineOnce(): void {
      this.terminal.view.resize()
      this.terminal.settle()
      this.answer([], this.#open)
      this.terminal.settle()
      const footer = this.#footer(this.terminal.view.painter.columns).lines.map(toText)
      expect(this.terminal.readLines()).toEqual([...SHELL_LINES, ...this.#committed, ...footer])
    }

    #footer(columns: number): Footer {
      const rows = wrapLines([toLine(this.#open)], columns).slice(-3)
      return {
        lines: [...rows, toLine(''), toLine(`> prompt${this.#typed}`), toLine('status of this session')],
        cursor: { row: rows.length + 1, column: 8 + this.#typed.length },
      }
    }
  }

  test('has each line once and in order, whenever it is resized', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const screen = new AnswerScreen()
        for (const run of steps) run(screen)
        screen.expectEachLineOnce()
      }),
      createPropertyOptions(60),
    )
  })

  test('shows a typed character before it has confirmed the last frame', () => {
    const screen = new AnswerScreen()
    screen.answer(['a line that is longer than twenty columns'], 'an answer that goes on')
    screen.type('k')
    screen.terminal.read()

    expect(screen.terminal.readLines().at(-2)).toBe('> promptk')
    screen.expectEachLineOnce()
  })

  test('receives a long transcript in few frames if it confirms them slowly', () => {
    const screen = openTerminal({ columns: 40, rows: 24 })
    const lines = Array.from({ length: 1_000 }, (_, index) => `line ${index} of a long transcript`)
    screen.paint([toLine('the first line, which is confirmed late')], footerOf('> prompt'))
    let frames = 0
    screen.draw(lines.map(toLine), () => footerOf('> prompt'))
    while (screen.view.isAwaitingPosition) {
      screen.read()
      screen.wait(100)
      screen.receive()
      frames++
    }

    expect(frames).toBeLessThan(30)
    expect(screen.readLines().filter((line) => line.startsWith('line '))).toEqual(lines)
  })

  test('keeps the end of a line that was inserted before text of the footer', () => {
    const screen = new AnswerScreen()
    screen.answer([], '12345678901234567890')
    screen.answer(['longer-word 12345678901234567890'], 'a')
    screen.terminal.read()
    screen.terminal.receive()
    screen.terminal.resizeTerminal(25, 24)

    screen.expectEachLineOnce()
  })

  test('erases what is behind a wrapped line that takes one more row', () => {
    const screen = new AnswerScreen()
    screen.answer([], 'a')
    screen.answer(['longer-word longer-word word', 'a 12345678901234567890 word'], 'a')
    screen.answer([Array(4).fill('12345678901234567890').join(' ')], 'a')
    screen.terminal.read()
    screen.terminal.receive()
    screen.terminal.resizeTerminal(26, 24)

    screen.expectEachLineOnce()
  })
})
