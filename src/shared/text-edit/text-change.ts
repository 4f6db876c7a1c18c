/** A piece of a text, by its offsets; the end is not included. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** What is to stand in place of a piece. */
export interface TextChange extends TextRange {
  readonly text: string
}

/** The text with changes made that are in order and do not overlap. */
export function changedText(text: string, changes: readonly TextChange[]): string {
  const pieces: string[] = []
  let done = 0
  for (const change of changes) {
    pieces.push(text.slice(done, change.start), change.text)
    done = change.end
  }
  pieces.push(text.slice(done))
  // A few large pieces are put together without a copy.
  return pieces.length < 10 ? pieces.reduce((all, piece) => all + piece, '') : pieces.join('')
}
