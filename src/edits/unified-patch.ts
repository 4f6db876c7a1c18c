import { cutText } from '../shared/cut-text.js'
import type { Steps } from '../shared/steps.js'
import { diffParts } from './text/diff-parts.js'
import { lineNumberOf } from './text/lines.js'
import { measureCommonPart } from './text/measure-common-part.js'
import type { ChangedText } from './text/text-change.js'

export const CONTEXT_LINES = 3
const MAX_DIFFERENCES = 1_000
/** Beyond this many lines no diff is computed: the patch is cut after the first lines anyway. */
const MAX_COMPARED_LINES = 100_000
const MAX_PATCH_CHARACTERS = 8_000
const MAX_LINE_CHARACTERS = 500

/** Returns the hunks of a unified diff, computed from the changed region only and cut if too long. */
export function* createUnifiedPatch(changedText: ChangedText): Steps<string> {
  const region = yield* findChangedRegion(changedText)
  const isLong = region.before.length + region.after.length > MAX_COMPARED_LINES
  const hunks = isLong ? [createWholeHunk(region)] : hunksOf(diffRows(region.before, region.after), region.line)
  const count = hunks.reduce((sum, { length }) => sum + 1 + length, 0)
  return truncatePatch(formatPatch(hunks, changedText.readLine), count)
}

interface Region {
  /** The line number of the region's first line. */
  readonly line: number
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** Returns the changed lines with the context around them. */
function* findChangedRegion({
  before,
  samePrefixLength,
  sameSuffixLength,
  middleText,
  linesBefore = 0,
}: ChangedText): Steps<Region> {
  let start = samePrefixLength
  for (let step = 0; step <= CONTEXT_LINES && start > 0; step++) start = before.lastIndexOf('\n', start - 1)
  start = start > 0 ? start + 1 : Math.max(0, start)
  let end = before.length - sameSuffixLength
  for (let step = 0; step <= CONTEXT_LINES && end !== -1; step++) end = before.indexOf('\n', end + (step === 0 ? 0 : 1))
  const regionEnd = end === -1 ? before.length : end + 1
  const after =
    before.slice(start, samePrefixLength) + middleText + before.slice(before.length - sameSuffixLength, regionEnd)
  return {
    line: linesBefore + lineNumberOf(before, start),
    before: yield* splitWithEndings(before.slice(start, regionEnd)),
    after: yield* splitWithEndings(after),
  }
}

/** Splits a text into lines with their endings: a last line without a newline differs from one with it. */
function* splitWithEndings(text: string): Steps<readonly string[]> {
  const lines: string[] = []
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start)
    const end = newline === -1 ? text.length : newline + 1
    if (lines.push(text.slice(start, end)) % LINES_PER_STEP === 0) yield
    start = end
  }
  return lines
}

const LINES_PER_STEP = 4_096

interface Row {
  readonly mark: ' ' | '+' | '-'
  readonly line: string
}

function diffRows(linesBefore: readonly string[], linesAfter: readonly string[]): readonly Row[] {
  const runs = diffParts(linesBefore, linesAfter, MAX_DIFFERENCES)
  if (runs === undefined) return [...rowsOf('-', linesBefore), ...rowsOf('+', linesAfter)]
  let oldIndex = 0
  let newIndex = 0
  return runs.flatMap(({ kind, count }) => {
    const rows =
      kind === 'added'
        ? rowsOf('+', linesAfter.slice(newIndex, newIndex + count))
        : rowsOf(kind === 'removed' ? '-' : ' ', linesBefore.slice(oldIndex, oldIndex + count))
    if (kind !== 'added') oldIndex += count
    if (kind !== 'removed') newIndex += count
    return rows
  })
}

function rowsOf(mark: Row['mark'], lines: readonly string[]): readonly Row[] {
  return lines.map((line) => ({ mark, line }))
}

interface Hunk {
  readonly header: string
  readonly rows: Iterable<Row>
  readonly length: number
}

/** Returns a hunk without a diff: all old lines, then all new lines. */
function createWholeHunk({ line, before, after }: Region): Hunk {
  function* rows(): Generator<Row> {
    for (const removedLine of before) yield { mark: '-', line: removedLine }
    for (const addedLine of after) yield { mark: '+', line: addedLine }
  }
  return {
    header: formatHeader(line, before.length, line, after.length),
    rows: rows(),
    length: before.length + after.length,
  }
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
    hunks.push({ header: formatHeader(oldLine, oldCount, newLine, newCount), rows: hunkRows, length: hunkRows.length })
    oldLine += oldCount
    newLine += newCount
    at = to
  }
  return hunks
}

/** Groups changed rows with their context. Adjacent groups are joined. */
function spansOfChange(rows: readonly Row[]): readonly { readonly from: number; readonly to: number }[] {
  const spans: { from: number; to: number }[] = []
  for (const [index, { mark }] of rows.entries()) {
    if (mark === ' ') continue
    const from = Math.max(0, index - CONTEXT_LINES)
    const to = Math.min(rows.length, index + CONTEXT_LINES + 1)
    const lastSpan = spans.at(-1)
    if (lastSpan !== undefined && from <= lastSpan.to) lastSpan.to = to
    else spans.push({ from, to })
  }
  return spans
}

function formatHeader(oldLine: number, oldCount: number, newLine: number, newCount: number): string {
  return `@@ -${formatRange(oldLine, oldCount)} +${formatRange(newLine, newCount)} @@`
}

function formatRange(line: number, count: number): string {
  if (count === 1) return String(line)
  return `${count === 0 ? line - 1 : line},${count}`
}

function formatRow({ mark, line }: Row, readLine: (line: string) => string = (text) => text): string {
  const content = readLine(line.replace(/\r?\n$/, ''))
  const shownText = content.length > MAX_LINE_CHARACTERS ? `${cutText(content, MAX_LINE_CHARACTERS)}…` : content
  return line.endsWith('\n') ? mark + shownText : `${mark}${shownText}\n\\ No newline at end of file`
}

/** Yields the lines of a patch one by one, because most lines of a long patch are never shown. */
function* formatPatch(hunks: readonly Hunk[], readLine: ChangedText['readLine']): Generator<string> {
  for (const { header, rows } of hunks) {
    yield header
    for (const row of rows) yield formatRow(row, readLine)
  }
}

function truncatePatch(lines: Iterable<string>, count: number): string {
  const shownLines: string[] = []
  let length = 0
  for (const line of lines) {
    length += line.length + 1
    if (length > MAX_PATCH_CHARACTERS) {
      return [...shownLines, `[${count - shownLines.length} more patch lines not shown]`].join('\n')
    }
    shownLines.push(line)
  }
  return shownLines.join('\n')
}

/** Describes the change between two texts: the lengths of their common start and end, and the new text between. */
export function compareTexts(before: string, after: string): ChangedText {
  const shorterLength = Math.min(before.length, after.length)
  const samePrefixLength = measureCommonPart(
    shorterLength,
    (from, to) => before.slice(from, to) === after.slice(from, to),
  )
  const sameSuffixLength = measureCommonPart(
    shorterLength - samePrefixLength,
    (from, to) =>
      before.slice(before.length - to, before.length - from) === after.slice(after.length - to, after.length - from),
  )
  return {
    before,
    samePrefixLength,
    sameSuffixLength,
    middleText: after.slice(samePrefixLength, after.length - sameSuffixLength),
  }
}
