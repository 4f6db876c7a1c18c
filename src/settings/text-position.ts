export interface TextPosition {
  readonly line: number
  readonly column: number
}

/** Line and column, both from 1, as editors count them. */
export function textPosition(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/)
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
