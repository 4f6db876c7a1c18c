import { cutText } from '../shared/cut-text.js'
import type { Steps } from '../shared/steps.js'
import type { EditStrategy } from './edit-strategies.js'
import { foldLookAlikes } from './ladder/find-look-alikes.js'
import type { EditPlan, TextEdit } from './plan-edit.js'
import { findText } from './text/find-text.js'
import { foldLineEndings, lineNumberOf, lineNumbersOf } from './text/lines.js'

const MAX_LISTED_LINES = 10
const MAX_SHOWN_LINES = 12
const MAX_SHOWN_CHARACTERS = 200

/** The terms that the caller uses for the parts of an edit. */
interface EditTerms {
  readonly file: string
  /** The old text, for example `old_string`. */
  readonly old: string
  /** Advice for the model if several places match. */
  readonly whenAmbiguous: string
}

/** Explains to the model why an edit has no unique match, with the lines needed to correct it. */
export function* explainEdit(
  text: string,
  edit: TextEdit,
  plan: Exclude<EditPlan, { kind: 'found' }>,
  terms: EditTerms,
): Steps<string> {
  return plan.kind === 'missing'
    ? yield* explainMissing(text, edit, terms)
    : explainAmbiguous(text, plan.strategy, plan.offsets, terms)
}

function explainAmbiguous(text: string, strategy: EditStrategy, offsets: readonly number[], terms: EditTerms): string {
  const lines = [...new Set(lineNumbersOf(text, offsets))]
  const listedLines = lines.slice(0, MAX_LISTED_LINES).join(', ')
  const moreText = lines.length > MAX_LISTED_LINES ? ` and ${lines.length - MAX_LISTED_LINES} more` : ''
  const location = lines.length === 1 ? `all in line ${listedLines}` : `lines ${listedLines}${moreText}`
  const conditionText =
    strategy === 'verbatim' || strategy === 'line endings' ? '' : ` if ${IGNORED_DIFFERENCES[strategy]}`
  return (
    `${terms.old} matches ${offsets.length} places in ${terms.file}${conditionText}: ${location}. ` +
    `Nothing was changed. ${terms.whenAmbiguous}`
  )
}

/** The differences that each strategy ignores, as a clause for messages. */
export const IGNORED_DIFFERENCES: Readonly<Record<EditStrategy, string>> = {
  verbatim: 'compared exactly',
  'line endings': 'line endings are ignored',
  'trailing white space': 'white space at line ends is ignored',
  indentation: 'indentation is ignored',
  'look-alikes': 'typographic quotes, dashes, spaces and other look-alikes are treated as plain ones',
  escapes: 'literal escapes are undone',
}

function* explainMissing(text: string, { oldString, newString }: TextEdit, terms: EditTerms): Steps<string> {
  const summary = `${terms.old} was not found in ${terms.file}. Nothing was changed.`
  if (text === '') return `${summary} The file is empty.`
  const fileLines = yield* splitShownLines(text)
  const oldLines = trimNewlines(foldLineEndings(oldString)).split('\n')
  const span = yield* findClosestLines(fileLines, oldLines)
  if (span === undefined) return `${summary} No similar line was found. Read the file, then copy the text from it.`
  const appliedLine = yield* findAppliedLine(text, newString, { fileLines, oldLines, span })
  const alreadyAppliedHint =
    appliedLine === undefined
      ? ''
      : ` The new text is already at line ${appliedLine}, where the old text would be: this edit may have been applied before.`
  const lastShownLine = Math.min(span.last, span.first + MAX_SHOWN_LINES - 1)
  const excerpt = fileLines
    .slice(span.first - 1, lastShownLine)
    .map((line, index) => `${span.first + index}\t${truncateLine(line)}`)
  const difference = describeFirstDifference(fileLines.slice(span.first - 1, span.last), oldLines, span.first)
  return `${summary}${alreadyAppliedHint} The closest match:\n${excerpt.join('\n')}\n${difference}Send the text exactly as it is in the file.`
}

interface OldPlace {
  readonly fileLines: readonly string[]
  readonly oldLines: readonly string[]
  /** The lines most similar to the old text. */
  readonly span: LineSpan
}

const MAX_COMPARED_PLACES = 100

/**
 * Returns the line of the new text if it is where the old text would be: it must contain every line there that is also a line of
 * the old text. A short new text, such as a bracket, is in many other places.
 */
function* findAppliedLine(text: string, newString: string, place: OldPlace): Steps<number | undefined> {
  if (newString.trim() === '') return undefined
  const { fileLines, oldLines, span } = place
  const oldTexts = new Set(oldLines.map(toPlainLine))
  const sharedLines: number[] = []
  for (let line = span.first; line <= span.last; line++)
    if (oldTexts.has(toPlainLine(fileLines[line - 1] ?? ''))) sharedLines.push(line)
  const lineCount = trimNewlines(foldLineEndings(newString)).split('\n').length
  const leadingLines = newString.length - newString.replace(/^[\r\n]+/, '').length === 0 ? 0 : 1
  let searchedTo = 0
  let lineNumber = 1
  for (const offset of yield* findText(text, newString, 0, MAX_COMPARED_PLACES)) {
    // Counted from the place before: each count from the start would read the whole text again.
    lineNumber += lineNumberOf(text.slice(searchedTo, offset), offset - searchedTo) - 1
    searchedTo = offset
    const first = lineNumber + leadingLines
    const last = first + lineCount - 1
    if (first > span.last || last < span.first) continue
    if (sharedLines.every((line) => first <= line && line <= last)) return first
  }
  return undefined
}

/** Removes newlines at both ends. Uses loops, because a regular expression that ends with `\n+$` takes quadratic time. */
function trimNewlines(text: string): string {
  let start = 0
  let end = text.length
  while (text[start] === '\n') start++
  while (end > start && text[end - 1] === '\n') end--
  return text.slice(start, end)
}

const LINES_PER_STEP = 1_024

function* splitShownLines(text: string): Steps<readonly string[]> {
  const lines: string[] = []
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start)
    const end = newline === -1 ? text.length : newline
    lines.push(text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end))
    start = end + 1
    if (lines.length % LINES_PER_STEP === 0) yield
  }
  return lines
}

function describeFirstDifference(foundLines: readonly string[], oldLines: readonly string[], first: number): string {
  const index = oldLines.findIndex((line, at) => line.trimEnd() !== foundLines[at]?.trimEnd())
  if (index === -1) return ''
  const fileLine = foundLines[index]
  const fileText = fileLine === undefined ? 'the file ends' : `the file has ${JSON.stringify(truncateLine(fileLine))}`
  return `First difference at line ${first + index}: ${fileText}, the text sent has ${JSON.stringify(truncateLine(oldLines[index] ?? ''))}.\n`
}

function truncateLine(line: string): string {
  return line.length > MAX_SHOWN_CHARACTERS ? `${cutText(line, MAX_SHOWN_CHARACTERS)}…` : line
}

/** Line numbers of a file, from 1, both inclusive. */
interface LineSpan {
  readonly first: number
  readonly last: number
}

/** Only this many lines at the start of a file are compared word by word. */
const MAX_COMPARED_LINES = 50_000
const MIN_LIKENESS = 0.5

/** Returns the lines most similar to a text that was not found; undefined if none is similar. */
function* findClosestLines(fileLines: readonly string[], oldLines: readonly string[]): Steps<LineSpan | undefined> {
  const plainLines: string[] = []
  for (const [index, line] of oldLines.entries()) {
    plainLines.push(toPlainLine(line))
    if (isEndOfStep(index, line)) yield
  }
  const start = (yield* findSharedStart(fileLines, plainLines)) ?? (yield* findSimilarStart(fileLines, plainLines))
  if (start === undefined) return undefined
  const firstIndex = Math.max(0, start)
  return { first: firstIndex + 1, last: Math.min(fileLines.length, Math.max(firstIndex + 1, start + oldLines.length)) }
}

/** Returns the index of the line where the old text most likely starts: the start that the most lines in common agree on. */
function* findSharedStart(fileLines: readonly string[], oldLines: readonly string[]): Steps<number | undefined> {
  const indexes = yield* indexLines(oldLines)
  const votes = new Map<number, number>()
  for (const [at, line] of fileLines.entries()) {
    for (const index of indexes.get(toPlainLine(line)) ?? []) votes.set(at - index, (votes.get(at - index) ?? 0) + 1)
    if (isEndOfStep(at, line)) yield
  }
  let bestStart: number | undefined
  for (const [start, count] of votes) {
    if (bestStart === undefined || count > (votes.get(bestStart) ?? 0)) bestStart = start
  }
  return bestStart
}

function* indexLines(lines: readonly string[]): Steps<ReadonlyMap<string, readonly number[]>> {
  const indexes = new Map<string, number[]>()
  for (const [index, line] of lines.entries()) {
    if (/\w/.test(line)) addIndex(indexes, line, index)
    if (isEndOfStep(index, line)) yield
  }
  return indexes
}

const MAX_VOTES_PER_LINE = 20

function addIndex(indexes: Map<string, number[]>, line: string, index: number): void {
  const lineIndexes = indexes.get(line)
  if (lineIndexes === undefined) indexes.set(line, [index])
  else if (lineIndexes.length < MAX_VOTES_PER_LINE) lineIndexes.push(index)
}

/** Aligns the longest old line with the line that has the most words in common with it, if no line is equal. */
function* findSimilarStart(fileLines: readonly string[], oldLines: readonly string[]): Steps<number | undefined> {
  const longestIndex = oldLines.reduce(
    (longestIndex, line, index) => (line.length > (oldLines[longestIndex] ?? '').length ? index : longestIndex),
    0,
  )
  const words = wordSetOf(oldLines[longestIndex] ?? '')
  let bestLine: { readonly at: number; readonly likeness: number } | undefined
  for (const [at, line] of fileLines.slice(0, MAX_COMPARED_LINES).entries()) {
    const likeness = likenessOf(words, wordSetOf(line))
    if (likeness >= MIN_LIKENESS && likeness > (bestLine?.likeness ?? 0)) bestLine = { at, likeness }
    if (isEndOfStep(at, line)) yield
  }
  return bestLine === undefined ? undefined : bestLine.at - longestIndex
}

/** Whether the search may pause after a line. Long lines take as long as many short ones. */
function isEndOfStep(index: number, line: string): boolean {
  return line.length > MAX_STEP_LINE_LENGTH || index % COMPARED_LINES_PER_STEP === 0
}

const MAX_STEP_LINE_LENGTH = 1_000
const COMPARED_LINES_PER_STEP = 64

/** The start of a line is enough to find a similar one. */
const MAX_PLAIN_CHARACTERS = 10_000

function toPlainLine(line: string): string {
  const start = line.slice(0, MAX_PLAIN_CHARACTERS)
  const foldedStart = /[^\0-\x7f]/.test(start) ? foldLookAlikes(start).text : start
  return foldedStart.replace(/\s+/g, ' ').trim()
}

function wordSetOf(line: string): ReadonlySet<string> {
  return new Set(
    line
      .slice(0, 1_000)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [],
  )
}

function likenessOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0
  let sharedCount = 0
  for (const word of a) if (b.has(word)) sharedCount++
  return (2 * sharedCount) / (a.size + b.size)
}
