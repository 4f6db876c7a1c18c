/** Returns the width in terminal columns: wide characters count as two, combining characters as none. */
export function measureWidth(text: string): number {
  let width = 0
  for (const character of text) width += measureCharacter(character)
  return width
}

/** Cuts a text to a number of columns and marks the cut with an ellipsis. */
export function truncateText(text: string, columns: number): string {
  if (measureWidth(text) <= columns) return text
  let prefix = ''
  let width = 1
  for (const character of text) {
    width += measureCharacter(character)
    if (width > columns) break
    prefix += character
  }
  return columns < 1 ? '' : `${prefix}…`
}

export function padText(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - measureWidth(text)))
}

/** Joins parts with the separator into lines of at most `columns`. A part is only cut if it is wider than a line. */
export function wrapParts(parts: readonly string[], columns: number, separator: string): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const part of parts) {
    const extendedLine = line === '' ? part : line + separator + part
    if (line !== '' && measureWidth(extendedLine) > columns) {
      lines.push(line)
      line = part
    } else line = extendedLine
  }
  return [...lines, line].filter((line) => line !== '').map((line) => truncateText(line, columns))
}

const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u

/** Ranges of East Asian wide characters and emoji. */
const WIDE_RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x23e9, 0x23ec],
  [0x25fd, 0x25fe],
  [0x2600, 0x27bf],
  [0x2b1b, 0x2b55],
  [0x2e80, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f000, 0x1faff],
  [0x20000, 0x3fffd],
]

function measureCharacter(character: string): number {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x300) return 1
  if (ZERO_WIDTH.test(character)) return 0
  return WIDE_RANGES.some(([first, last]) => code >= first && code <= last) ? 2 : 1
}
