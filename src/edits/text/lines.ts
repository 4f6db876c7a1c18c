import { runSteps, type Steps } from '../../shared/steps.js'

/** A line of a text and its ending, as offsets. The last line has no ending. */
export interface TextLine {
  readonly start: number
  /** The offset at which the line ending starts. */
  readonly end: number
  /** The offset at which the next line starts. */
  readonly nextStart: number
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
  for (const { end, nextStart } of endings) {
    if (lines.push({ start, end, nextStart }) % LINES_PER_STEP === 0) yield
    start = nextStart
  }
  lines.push({ start, end: text.length, nextStart: text.length })
  return lines
}

type LineEnding = Pick<TextLine, 'end' | 'nextStart'>

function* findNewlines(text: string): Generator<LineEnding> {
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) yield { end, nextStart: end + 1 }
}

function* findEndings(text: string): Generator<LineEnding> {
  const lineEnding = /\r\n?|\n/g
  for (let endingMatch = lineEnding.exec(text); endingMatch !== null; endingMatch = lineEnding.exec(text)) {
    yield { end: endingMatch.index, nextStart: lineEnding.lastIndex }
  }
}

/** Converts every line ending to LF. */
export function foldLineEndings(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
}

/** Returns the ending of the line in which the range ends. If that line has none, the ending before the range; by default LF. */
export function findNearestEnding(text: string, start: number, end: number): string {
  const lineEnding = /\r\n?|\n/g
  lineEnding.lastIndex = end
  const foundEnding = lineEnding.exec(text)?.[0]
  if (foundEnding !== undefined) return foundEnding
  const textBefore = text.slice(0, start)
  const lastEnding = Math.max(textBefore.lastIndexOf('\n'), textBefore.lastIndexOf('\r'))
  if (lastEnding === -1) return '\n'
  return textBefore[lastEnding] === '\n' && textBefore[lastEnding - 1] === '\r'
    ? '\r\n'
    : (textBefore[lastEnding] ?? '\n')
}

/** Returns the line number, from 1, of each offset. Fastest for ascending offsets. Only LF ends a line here. */
export function lineNumbersOf(text: string, offsets: readonly number[]): readonly number[] {
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

export function lineNumberOf(text: string, offset: number): number {
  return lineNumbersOf(text, [offset])[0] ?? 1
}
