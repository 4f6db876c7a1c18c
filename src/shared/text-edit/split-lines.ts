/** A line of a text and what ends it, as they stand in the text; the last line has no ending. */
export interface TextLine {
  readonly start: number
  /** Where the ending begins. */
  readonly end: number
  /** Where the next line begins. */
  readonly next: number
}

/** Lines by any ending: LF, CRLF or a lone CR. */
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
