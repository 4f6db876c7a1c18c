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
  const lines: TextLine[] = []
  let start = 0
  let lf = text.indexOf('\n')
  let cr = text.indexOf('\r')
  while (lf !== -1 || cr !== -1) {
    const isLf = cr === -1 || (lf !== -1 && lf < cr)
    const end = isLf ? lf : cr
    const next = !isLf && lf === cr + 1 ? end + 2 : end + 1
    lines.push({ start, end, next })
    start = next
    if (lf !== -1 && lf < next) lf = text.indexOf('\n', next)
    if (cr !== -1 && cr < next) cr = text.indexOf('\r', next)
  }
  lines.push({ start, end: text.length, next: text.length })
  return lines
}

/** Converts every line ending to LF. */
export function foldLineEndings(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
}

/** The ending of the line in which the range ends; if that line has none, of the line before. */
export function endingNear(text: string, start: number, end: number): string {
  const after = /\r\n?|\n/g
  after.lastIndex = end
  const found = after.exec(text)?.[0]
  if (found !== undefined) return found
  const before = text.slice(0, start)
  const last = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r'))
  if (last === -1) return '\n'
  return before[last] === '\n' && before[last - 1] === '\r' ? '\r\n' : (before[last] ?? '\n')
}

/** Line numbers, from 1, of ascending offsets. Only newlines count, as in an editor. */
export function lineNumbers(text: string, offsets: readonly number[]): readonly number[] {
  let line = 1
  let newline = text.indexOf('\n')
  let last = 0
  return offsets.map((offset) => {
    if (offset < last) {
      line = 1
      newline = text.indexOf('\n')
    }
    last = offset
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
