import { runSteps, type Steps } from '../../shared/steps.js'

/** A line of a text and its ending, as offsets. The last line has no ending. */
export interface TextLine {
  readonly start: number
  /** Where the line ending starts. */
  readonly end: number
  /** Where the next line starts. */
  readonly next: number
}

/** Splits a text at every line ending: LF, CRLF or a lone CR. */
export function splitLines(text: string): TextLine[] {
  return runSteps(splitLinesInSteps(text))
}

const LINES_PER_STEP = 4_096

export function* splitLinesInSteps(text: string): Steps<TextLine[]> {
  const lines: TextLine[] = []
  const endings = text.includes('\r') ? findEndings(text) : findNewlines(text)
  let start = 0
  for (const { end, next } of endings) {
    if (lines.push({ start, end, next }) % LINES_PER_STEP === 0) yield
    start = next
  }
  lines.push({ start, end: text.length, next: text.length })
  return lines
}

type LineEnding = Pick<TextLine, 'end' | 'next'>

function* findNewlines(text: string): Generator<LineEnding> {
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) yield { end, next: end + 1 }
}

function* findEndings(text: string): Generator<LineEnding> {
  const ending = /\r\n?|\n/g
  for (let found = ending.exec(text); found !== null; found = ending.exec(text)) {
    yield { end: found.index, next: ending.lastIndex }
  }
}

/** Converts every line ending to LF. */
export function foldLineEndings(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
}

/** The ending of the line in which the range ends. If it has none, the ending before the range; by default LF. */
export function findNearestEnding(text: string, start: number, end: number): string {
  const lineEnding = /\r\n?|\n/g
  lineEnding.lastIndex = end
  const found = lineEnding.exec(text)?.[0]
  if (found !== undefined) return found
  const before = text.slice(0, start)
  const lastEnding = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r'))
  if (lastEnding === -1) return '\n'
  return before[lastEnding] === '\n' && before[lastEnding - 1] === '\r' ? '\r\n' : (before[lastEnding] ?? '\n')
}

/** The line number, from 1, of each offset. Fastest for ascending offsets. Only LF ends a line here. */
export function lineNumbers(text: string, offsets: readonly number[]): readonly number[] {
  let line = 1
  let newline = text.indexOf('\n')
  let previousOffset = 0
  return offsets.map((offset) => {
    if (offset < previousOffset) {
      line = 1
      newline = text.indexOf('\n')
    }
    previousOffset = offset
    while (newline !== -1 && newline < offset) {
      line++
      newline = text.indexOf('\n', newline + 1)
    }
    return line
  })
}

export function lineNumber(text: string, offset: number): number {
  return lineNumbers(text, [offset])[0] ?? 1
}
