/** The numbers of the lines in which offsets lie, counted by newlines as a reader of the file counts them. */
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
