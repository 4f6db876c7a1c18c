import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createXterm, FORBIDDEN_SEQUENCES, readLines, writeNow } from '../../../test/terminal/xterm.mjs'
import { createPropertyOptions } from '../../testing/property-runs.js'
import type { StyledLine } from '../../views/styled-line.js'
import { themeFor } from '../../views/themes.js'
import { toAnsi } from '../../views/to-ansi.js'
import { wrapLines } from '../../views/wrap-lines.js'
import { type Footer, Painter } from './painter.js'

// With a fake clock, rows are old enough to count as wrapped by a resize.
beforeAll(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterAll(() => void vi.useRealTimers())

const SHELL_LINES = ['$ ls', 'README.md src test', '$ haft']
const theme = themeFor({ variables: { TERM: 'xterm-256color' } })

/** A painter with a real terminal emulator, below what a shell has printed. */
function openTerminal({ columns = 40, rows = 10, hasSync = true } = {}) {
  const terminal = createXterm({ columns, rows, convertEol: true })
  const painter = new Painter({ columns, rows, toAnsi: (line) => toAnsi(line, theme) })
  painter.hasSync = hasSync
  const write = (text: string) => writeNow(terminal, text)
  write(SHELL_LINES.map((line) => `${line}\r\n`).join(''))
  let bytes = ''
  return {
    terminal,
    paint(lines: readonly StyledLine[], footer: Footer) {
      bytes = painter.paint(lines, footer)
      write(bytes)
      return bytes
    },
    resize(newColumns: number, newRows: number) {
      vi.advanceTimersByTime(1_000)
      terminal.resize(newColumns, newRows)
      const rowsAbove = painter.countRowsAbove(newColumns, { movesForRowsBelow: newRows >= painter.rows })
      Object.assign(painter, { columns: newColumns, rows: newRows })
      write(painter.erase(rowsAbove))
    },
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

test.each([
  ['without resizes', fc.array(drawing(9), { maxLength: 20 }), 9],
  // A footer that is taller than the screen after a resize has already scrolled away in part.
  ['with resizes', fc.array(fc.oneof({ weight: 3, arbitrary: drawing(3) }, resizing), { maxLength: 20 }), 3],
])('%s, each committed line and each row of the footer is there once and in order', (_, steps, maxFooter) => {
  fc.assert(
    fc.property(steps, fc.boolean(), (steps, hasSync) => {
      let size = { columns: 40, rows: 10 }
      const screen = openTerminal({ ...size, hasSync })
      const committed: string[] = []
      let footer: StyledLine[] = []
      for (const each of steps) {
        if (!('lines' in each)) {
          size = { ...size, ...each }
          screen.resize(size.columns, size.rows)
          footer = wrapLines(footer, size.columns).slice(0, maxFooter)
        } else {
          committed.push(...each.lines.map(toText))
          footer = wrapLines(each.footer, size.columns).slice(0, maxFooter)
        }
        const cursor = { row: footer.length - 1, column: 2 }
        const hasCursor = 'hasCursor' in each && each.hasCursor && footer.length > 0
        const lines = 'lines' in each ? each.lines : []
        const bytes = screen.paint(lines, { lines: footer, ...(hasCursor && { cursor }) })

        expect(bytes).not.toMatch(FORBIDDEN_SEQUENCES)
        const expected = [...SHELL_LINES, ...committed, ...footer.map(toText)].map((line) => line.trimEnd())
        while (expected.at(-1) === '') expected.pop()
        expect(screen.readLines()).toEqual(expected)
        if (hasCursor) expect(screen.readCursor()).toEqual({ column: 2, text: toText(footer.at(-1) ?? []).trimEnd() })
      }
    }),
    createPropertyOptions(60),
  )
})
