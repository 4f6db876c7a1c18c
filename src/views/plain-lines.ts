import { toPrintable } from '../shared/printable.js'
import type { SpanStyle, StyledLine, StyledSpan } from './styled-line.js'
import { widthOf } from './text-width.js'

const TAB_COLUMNS = 4

/** Splits text into lines without control characters. Tabs become spaces up to the next tab stop. */
export function toPlainLines(text: string): string[] {
  const lines = text.split('\n')
  return lines.map((line, index) => toPlainLine(index === lines.length - 1 ? line : withoutReturns(line)))
}

/** Removes the carriage returns at the end. A pattern such as /\r*\n/ takes quadratic time for many of them. */
function withoutReturns(line: string): string {
  let end = line.length
  while (line[end - 1] === '\r') end--
  return line.slice(0, end)
}

export function toPlainLine(line: string): string {
  if (!line.includes('\t')) return toPrintable(line)
  let plainLine = ''
  let column = 0
  for (const [index, part] of line.split('\t').entries()) {
    const spaces = index === 0 ? 0 : TAB_COLUMNS - (column % TAB_COLUMNS)
    const plainPart = toPrintable(part)
    plainLine += ' '.repeat(spaces) + plainPart
    column += spaces + widthOf(plainPart)
  }
  return plainLine
}

/** Creates a span. The `style` member is left out if there is no style, because lines are compared. */
export function span(text: string, style?: SpanStyle): StyledSpan {
  return style === undefined ? { text } : { text, style }
}

/** Puts one prefix before the first line, and another one before the following lines. */
export function prefixLines(
  lines: readonly StyledLine[],
  firstPrefix: StyledLine,
  nextPrefix: StyledLine,
): StyledLine[] {
  return lines.map((line, index) => (index === 0 ? [...firstPrefix, ...line] : [...nextPrefix, ...line]))
}

/** Indents lines. If a line is wrapped later, all its rows are indented. */
export function indentLines(lines: readonly StyledLine[], columns: number): StyledLine[] {
  if (columns <= 0) return [...lines]
  const indent: StyledSpan = { text: ' '.repeat(columns), prefix: 'space' }
  return prefixLines(lines, [indent], [indent])
}

/** Joins blocks of lines: the first line of each block continues the last line of the block before. */
export function joinLines(parts: readonly (readonly StyledLine[])[]): StyledLine[] {
  const lines: StyledSpan[][] = [[]]
  for (const part of parts) {
    for (const [index, line] of part.entries()) {
      if (index === 0) lines.at(-1)?.push(...line)
      else lines.push([...line])
    }
  }
  return lines
}
