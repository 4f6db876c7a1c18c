import type { DiffHunk, DiffView } from '../contract/views.js'
import { LineHighlighter } from './highlight.js'
import { span, toPlainLine } from './plain-lines.js'
import type { DiffTone, StyledLine, StyledSpan } from './styled-line.js'

interface ChangedLine {
  readonly sign: ' ' | '-' | '+'
  readonly text: string
  /** The line number in the new file, or in the old file if the line was removed. */
  readonly number: number | undefined
}

/** Draws a change with line numbers, signs and highlighted code. The signs are sufficient where there are no colours. */
export function renderDiff({ path, hunks }: DiffView): StyledLine[] {
  const numberedHunks = hunks.map(numberLines)
  const lastNumber = numberedHunks.flat().reduce((largest, { number = 0 }) => Math.max(largest, number), 0)
  const gutterWidth = lastNumber === 0 ? 0 : String(lastNumber).length
  return numberedHunks.flatMap((lines, index) => [
    ...(index === 0 ? [] : [[span(`${' '.repeat(gutterWidth)} …`, { tone: 'muted' })]]),
    ...renderHunk(lines, { path, gutterWidth }),
  ])
}

/** Describes the same change in words, for screen readers. */
export function describeDiff({ path, hunks }: DiffView): StyledLine[] {
  const labels = { ' ': 'line', '-': 'removed line', '+': 'added line' } as const
  const lines = hunks.flatMap(numberLines)
  return [
    [span(`change of ${toPlainLine(path)}:`)],
    ...lines.map(({ sign, number, text }) => {
      const label = number === undefined ? labels[sign] : `${labels[sign]} ${number}`
      return [span(`${label}: ${toPlainLine(text)}`)]
    }),
  ]
}

function numberLines({ oldStart, newStart, lines }: DiffHunk): ChangedLine[] {
  let oldNumber = oldStart
  let newNumber = newStart
  return lines.map((line) => {
    const sign = line.startsWith('-') ? '-' : line.startsWith('+') ? '+' : ' '
    const number = sign === '-' ? oldNumber : newNumber
    if (sign !== '+' && oldNumber !== undefined) oldNumber++
    if (sign !== '-' && newNumber !== undefined) newNumber++
    return { sign, text: line.slice(1), number }
  })
}

function renderHunk(
  lines: readonly ChangedLine[],
  { path, gutterWidth }: { path: string; gutterWidth: number },
): StyledLine[] {
  const oldHighlighter = new LineHighlighter(path)
  const newHighlighter = new LineHighlighter(path)
  return lines.map(({ sign, text, number }): StyledLine => {
    const plainText = toPlainLine(text)
    // Unchanged lines belong to both versions.
    const spans = sign === '-' ? oldHighlighter.next(plainText) : newHighlighter.next(plainText)
    if (sign === ' ') oldHighlighter.next(plainText)
    const tone = sign === ' ' ? undefined : sign === '+' ? ('added' as const) : ('removed' as const)
    const numberText = gutterWidth === 0 ? '' : `${String(number ?? '').padStart(gutterWidth)} `
    return [createGutter(numberText, 'muted'), createGutter(`${sign} `, tone), ...addBackground(spans, tone)]
  })
}

function createGutter(text: string, tone: 'muted' | DiffTone | undefined): StyledSpan {
  return { text, prefix: 'space', ...(tone !== undefined && { style: { tone } }) }
}

function addBackground(spans: readonly StyledSpan[], background: DiffTone | undefined): readonly StyledSpan[] {
  if (background === undefined) return spans
  return spans.map(({ text, style }) => ({ text, style: { ...style, background } }))
}
