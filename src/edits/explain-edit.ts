import type { EditStrategy } from './edit-strategies.js'
import { foldLookAlikes } from './ladder/find-look-alikes.js'
import type { EditPlan, TextEdit } from './plan-edit.js'
import { foldLineEndings, lineNumber, lineNumbers } from './text/lines.js'

const MAX_LISTED_LINES = 10
const MAX_SHOWN_LINES = 12
const MAX_SHOWN_CHARACTERS = 200

/** The terms that the caller uses for the parts of an edit. */
interface EditTerms {
  readonly file: string
  /** The old text, for example `old_string`. */
  readonly old: string
  /** What to do if several places match. */
  readonly whenAmbiguous: string
}

/** Explains to the model why an edit has no unique match, with the lines needed to correct it. */
export function explainEdit(
  text: string,
  edit: TextEdit,
  plan: Exclude<EditPlan, { kind: 'found' }>,
  terms: EditTerms,
): string {
  return plan.kind === 'missing'
    ? explainMissing(text, edit, terms)
    : explainAmbiguous(text, plan.strategy, plan.offsets, terms)
}

function explainAmbiguous(text: string, strategy: EditStrategy, offsets: readonly number[], terms: EditTerms): string {
  const lines = [...new Set(lineNumbers(text, offsets))]
  const listed = lines.slice(0, MAX_LISTED_LINES).join(', ')
  const moreText = lines.length > MAX_LISTED_LINES ? ` and ${lines.length - MAX_LISTED_LINES} more` : ''
  const location = lines.length === 1 ? `all in line ${listed}` : `lines ${listed}${moreText}`
  const condition = strategy === 'verbatim' || strategy === 'line endings' ? '' : ` if ${IGNORED_DIFFERENCES[strategy]}`
  return (
    `${terms.old} matches ${offsets.length} places in ${terms.file}${condition}: ${location}. ` +
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

function explainMissing(text: string, { oldString, newString }: TextEdit, terms: EditTerms): string {
  const summary = `${terms.old} was not found in ${terms.file}. Nothing was changed.`
  if (text === '') return `${summary} The file is empty.`
  const newTextOffset = newString.trim() === '' ? -1 : text.indexOf(newString)
  const alreadyApplied =
    newTextOffset === -1
      ? ''
      : ` The new text is already at line ${lineNumber(text, newTextOffset)}: this edit may have been applied before.`
  const fileLines = shownLines(text)
  const oldLines = foldLineEndings(oldString)
    .replace(/^\n+|\n+$/g, '')
    .split('\n')
  const span = findClosestLines(fileLines, oldLines)
  if (span === undefined)
    return `${summary}${alreadyApplied} No similar line was found. Read the file, then copy the text from it.`
  const last = Math.min(span.last, span.first + MAX_SHOWN_LINES - 1)
  const excerpt = fileLines
    .slice(span.first - 1, last)
    .map((line, index) => `${span.first + index}\t${truncateLine(line)}`)
  const difference = describeFirstDifference(fileLines.slice(span.first - 1, span.last), oldLines, span.first)
  return `${summary}${alreadyApplied} The closest match:\n${excerpt.join('\n')}\n${difference}Send the text exactly as it is in the file.`
}

function shownLines(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  if (lines.at(-1) === '') lines.pop()
  return lines
}

function describeFirstDifference(found: readonly string[], oldLines: readonly string[], first: number): string {
  const index = oldLines.findIndex((line, at) => line.trimEnd() !== found[at]?.trimEnd())
  if (index === -1) return ''
  const fileLine = found[index]
  const fileText = fileLine === undefined ? 'the file ends' : `the file has ${JSON.stringify(truncateLine(fileLine))}`
  return `First difference at line ${first + index}: ${fileText}, the text sent has ${JSON.stringify(truncateLine(oldLines[index] ?? ''))}.\n`
}

function truncateLine(line: string): string {
  return line.length > MAX_SHOWN_CHARACTERS ? `${line.slice(0, MAX_SHOWN_CHARACTERS)}…` : line
}

/** Line numbers of a file, from 1, both inclusive. */
interface LineSpan {
  readonly first: number
  readonly last: number
}

/** Only this many lines at the start of a file are compared word by word. */
const MAX_COMPARED_LINES = 50_000
const MIN_LIKENESS = 0.5

/** The lines most similar to a text that was not found; undefined if none is similar. */
function findClosestLines(fileLines: readonly string[], oldLines: readonly string[]): LineSpan | undefined {
  const plainLines = oldLines.map(toPlainLine)
  const start = findSharedStart(fileLines, plainLines) ?? findSimilarStart(fileLines, plainLines)
  if (start === undefined) return undefined
  const first = Math.max(0, start)
  return { first: first + 1, last: Math.min(fileLines.length, Math.max(first + 1, start + oldLines.length)) }
}

/** The line index where the old text most likely starts: each line in common votes for one. */
function findSharedStart(fileLines: readonly string[], oldLines: readonly string[]): number | undefined {
  const indexes = new Map<string, number[]>()
  for (const [index, line] of oldLines.entries()) {
    if (/\w/.test(line)) indexes.set(line, [...(indexes.get(line) ?? []), index].slice(0, 20))
  }
  const votes = new Map<number, number>()
  for (const [at, line] of fileLines.entries()) {
    for (const index of indexes.get(toPlainLine(line)) ?? []) votes.set(at - index, (votes.get(at - index) ?? 0) + 1)
  }
  let best: number | undefined
  for (const [start, count] of votes) {
    if (best === undefined || count > (votes.get(best) ?? 0)) best = start
  }
  return best
}

/** If no line is equal: aligns the longest old line with the line that has the most words in common with it. */
function findSimilarStart(fileLines: readonly string[], oldLines: readonly string[]): number | undefined {
  const longest = oldLines.reduce(
    (best, line, index) => (line.length > (oldLines[best] ?? '').length ? index : best),
    0,
  )
  const words = wordSetOf(oldLines[longest] ?? '')
  let best: { readonly at: number; readonly likeness: number } | undefined
  for (const [at, line] of fileLines.slice(0, MAX_COMPARED_LINES).entries()) {
    const likeness = likenessOf(words, wordSetOf(line))
    if (likeness >= MIN_LIKENESS && likeness > (best?.likeness ?? 0)) best = { at, likeness }
  }
  return best === undefined ? undefined : best.at - longest
}

function toPlainLine(line: string): string {
  const folded = /[^\0-\x7f]/.test(line) ? foldLookAlikes(line).text : line
  return folded.replace(/\s+/g, ' ').trim()
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
  let shared = 0
  for (const word of a) if (b.has(word)) shared++
  return (2 * shared) / (a.size + b.size)
}
