/** The numbers of the lines in which offsets lie, counted by newlines as a reader of the file counts them. */
export function lineNumbers(text: string, offsets: readonly number[]): readonly number[] {
  let line = 1
  let at = 0
  return offsets.map((offset) => {
    if (offset < at) {
      line = 1
      at = 0
    }
    for (let next = text.indexOf('\n', at); next !== -1 && next < offset; next = text.indexOf('\n', at)) {
      line++
      at = next + 1
    }
    return line
  })
}

export function lineNumber(text: string, offset: number): number {
  return lineNumbers(text, [offset])[0] ?? 1
}
