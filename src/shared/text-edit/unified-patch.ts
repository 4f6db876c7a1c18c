import { diffArrays } from 'diff/lib/diff/array.js'
import { lineNumber } from './line-numbers.js'

export const CONTEXT_LINES = 3
const MAX_DIFFERENCES = 1_000
const MAX_PATCH_CHARACTERS = 8_000
const MAX_LINE_CHARACTERS = 500

/** A text before, how much of its start and end stayed the same, and what came to stand between. */
export interface ChangedText {
  readonly before: string
  readonly samePrefix: number
  readonly sameSuffix: number
  readonly middle: string
  /** How many lines stand before `before`, where that is only a part of the text. */
  readonly linesBefore?: number
  /** Makes a line fit to be read, where the texts hold the bytes of a file. */
  readonly readLine?: (line: string) => string
}

/** What changed, as hunks of a unified diff, computed from the changed part alone and cut where it gets long. */
export function unifiedPatch(changed: ChangedText): string {
  const region = changedRegion(changed)
  const rows = diffRows(region.before, region.after)
  const hunks = hunksOf(rows, region.line)
  const lines = hunks.flatMap(({ header, rows: hunkRows }) => [
    header,
    ...hunkRows.map((row) => drawRow(row, changed.readLine)),
  ])
  return cutPatch(lines)
}

interface Region {
  /** The number of its first line. */
  readonly line: number
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** The lines that changed, with the context around them. */
function changedRegion({ before, samePrefix, sameSuffix, middle, linesBefore = 0 }: ChangedText): Region {
  let start = samePrefix
  for (let step = 0; step <= CONTEXT_LINES && start > 0; step++) start = before.lastIndexOf('\n', start - 1)
  start = start > 0 ? start + 1 : Math.max(0, start)
  let end = before.length - sameSuffix
  for (let step = 0; step <= CONTEXT_LINES && end !== -1; step++) end = before.indexOf('\n', end + (step === 0 ? 0 : 1))
  const regionEnd = end === -1 ? before.length : end + 1
  const after = before.slice(start, samePrefix) + middle + before.slice(before.length - sameSuffix, regionEnd)
  return {
    line: linesBefore + lineNumber(before, start),
    before: linesOf(before.slice(start, regionEnd)),
    after: linesOf(after),
  }
}

/** Each with its ending: a line without one at the end of a file is another line. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

interface Row {
  readonly mark: ' ' | '+' | '-'
  readonly line: string
}

function diffRows(before: readonly string[], after: readonly string[]): readonly Row[] {
  const changes = diffArrays([...before], [...after], { maxEditLength: MAX_DIFFERENCES })
  if (changes === undefined) return [...rowsOf('-', before), ...rowsOf('+', after)]
  return changes.flatMap(({ added, removed, value }) => rowsOf(added ? '+' : removed ? '-' : ' ', value))
}

function rowsOf(mark: Row['mark'], lines: readonly string[]): readonly Row[] {
  return lines.map((line) => ({ mark, line }))
}

interface Hunk {
  readonly header: string
  readonly rows: readonly Row[]
}

function hunksOf(rows: readonly Row[], firstLine: number): readonly Hunk[] {
  const hunks: Hunk[] = []
  let oldLine = firstLine
  let newLine = firstLine
  let at = 0
  for (const { from, to } of spansOfChange(rows)) {
    for (; at < from; at++) {
      oldLine++
      newLine++
    }
    const hunkRows = rows.slice(from, to)
    const oldCount = hunkRows.filter(({ mark }) => mark !== '+').length
    const newCount = hunkRows.filter(({ mark }) => mark !== '-').length
    hunks.push({ header: `@@ -${lineRange(oldLine, oldCount)} +${lineRange(newLine, newCount)} @@`, rows: hunkRows })
    oldLine += oldCount
    newLine += newCount
    at = to
  }
  return hunks
}

/** Runs of rows with a change in them and the context around it; runs that touch are one. */
function spansOfChange(rows: readonly Row[]): readonly { readonly from: number; readonly to: number }[] {
  const spans: { from: number; to: number }[] = []
  for (const [index, { mark }] of rows.entries()) {
    if (mark === ' ') continue
    const from = Math.max(0, index - CONTEXT_LINES)
    const to = Math.min(rows.length, index + CONTEXT_LINES + 1)
    const last = spans.at(-1)
    if (last !== undefined && from <= last.to) last.to = to
    else spans.push({ from, to })
  }
  return spans
}

function lineRange(line: number, count: number): string {
  if (count === 1) return String(line)
  return `${count === 0 ? line - 1 : line},${count}`
}

function drawRow({ mark, line }: Row, readLine: (line: string) => string = (same) => same): string {
  const content = readLine(line.replace(/\r?\n$/, ''))
  const shown = content.length > MAX_LINE_CHARACTERS ? `${content.slice(0, MAX_LINE_CHARACTERS)}…` : content
  return line.endsWith('\n') ? mark + shown : `${mark}${shown}\n\\ No newline at end of file`
}

function cutPatch(lines: readonly string[]): string {
  let length = 0
  const fitting = lines.findIndex((line) => {
    length += line.length + 1
    return length > MAX_PATCH_CHARACTERS
  })
  if (fitting === -1) return lines.join('\n')
  const left = lines.length - fitting
  return [...lines.slice(0, fitting), `[${left} more lines of the patch are not shown]`].join('\n')
}
