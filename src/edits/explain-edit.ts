import type { EditStrategy } from './edit-strategies.js'
import { foldLookAlikes } from './ladder/find-look-alikes.js'
import type { EditPlan, TextEdit } from './plan-edit.js'
import { foldLineEndings, lineNumber, lineNumbers } from './text/lines.js'

const MAX_LISTED_LINES = 10
const MAX_SHOWN_LINES = 12
const MAX_SHOWN_CHARACTERS = 200

/** How the parts of an edit are called by those who sent it. */
interface EditWords {
  readonly file: string
  /** Such as `old_string`. */
  readonly old: string
  /** What to do where several places fit. */
  readonly whenAmbiguous: string
}

/** Why an edit has no one place, with all that is needed to send it again rightly. */
export function explainEdit(
  text: string,
  edit: TextEdit,
  plan: Exclude<EditPlan, { kind: 'found' }>,
  words: EditWords,
): string {
  return plan.kind === 'missing'
    ? explainMissing(text, edit, words)
    : explainAmbiguous(text, plan.strategy, plan.offsets, words)
}

function explainAmbiguous(text: string, strategy: EditStrategy, offsets: readonly number[], words: EditWords): string {
  const lines = [...new Set(lineNumbers(text, offsets))]
  const listed = lines.slice(0, MAX_LISTED_LINES).join(', ')
  const more = lines.length > MAX_LISTED_LINES ? ` and ${lines.length - MAX_LISTED_LINES} more` : ''
  const where = lines.length === 1 ? `all in line ${listed}` : `lines ${listed}${more}`
  const manner = strategy === 'verbatim' || strategy === 'line endings' ? '' : ` if ${LOOSENED[strategy]}`
  return (
    `${words.old} matches ${offsets.length} places in ${words.file}${manner}: ${where}. ` +
    `Nothing was changed. ${words.whenAmbiguous}`
  )
}

/** What a strategy does not look at. */
export const LOOSENED: Readonly<Record<EditStrategy, string>> = {
  verbatim: 'nothing is left aside',
  'line endings': 'line endings are left aside',
  'trailing white space': 'white space at line ends is left aside',
  indentation: 'indentation is left aside',
  'look-alikes': 'typographic quotes, dashes, spaces and other look-alikes count as plain ones',
  escapes: 'escapes that were written out are undone',
}

function explainMissing(text: string, { oldString, newString }: TextEdit, words: EditWords): string {
  const start = `${words.old} was not found in ${words.file}, and nothing was changed.`
  if (text === '') return `${start} The file is empty.`
  const done = newString.trim() === '' ? -1 : text.indexOf(newString)
  const already =
    done === -1
      ? ''
      : ` The new text already stands at line ${lineNumber(text, done)}: the edit may have been made before.`
  const fileLines = shownLines(text)
  const wanted = foldLineEndings(oldString)
    .replace(/^\n+|\n+$/g, '')
    .split('\n')
  const span = nearestPlace(fileLines, wanted)
  if (span === undefined)
    return `${start}${already} No line of it is near. Read the file, then send the text as it stands there.`
  const last = Math.min(span.last, span.first + MAX_SHOWN_LINES - 1)
  const shown = fileLines.slice(span.first - 1, last).map((line, index) => `${span.first + index}\t${clip(line)}`)
  const difference = firstDifference(fileLines.slice(span.first - 1, span.last), wanted, span.first)
  return `${start}${already} The nearest place:\n${shown.join('\n')}\n${difference}Send the text exactly as it stands in the file.`
}

function shownLines(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  if (lines.at(-1) === '') lines.pop()
  return lines
}

function firstDifference(found: readonly string[], wanted: readonly string[], first: number): string {
  const index = wanted.findIndex((line, at) => line.trimEnd() !== found[at]?.trimEnd())
  if (index === -1) return ''
  const there = found[index]
  const has = there === undefined ? 'the file ends' : `the file has ${JSON.stringify(clip(there))}`
  return `First difference at line ${first + index}: ${has}, the text sent has ${JSON.stringify(clip(wanted[index] ?? ''))}.\n`
}

function clip(line: string): string {
  return line.length > MAX_SHOWN_CHARACTERS ? `${line.slice(0, MAX_SHOWN_CHARACTERS)}…` : line
}

/** Lines of a file, from 1, both included. */
interface LineSpan {
  readonly first: number
  readonly last: number
}

/** More lines than this are not compared word by word. */
const MAX_COMPARED_LINES = 50_000
const MIN_LIKENESS = 0.5

/** The lines that look most like a text which is not there; undefined where nothing is near. */
function nearestPlace(fileLines: readonly string[], wanted: readonly string[]): LineSpan | undefined {
  const plainWanted = wanted.map(plain)
  const start = sharedStart(fileLines, plainWanted) ?? likeliestStart(fileLines, plainWanted)
  if (start === undefined) return undefined
  const first = Math.max(0, start)
  return { first: first + 1, last: Math.min(fileLines.length, Math.max(first + 1, start + wanted.length)) }
}

/** Each line that both have votes for where the text would begin. */
function sharedStart(fileLines: readonly string[], wanted: readonly string[]): number | undefined {
  const indexes = new Map<string, number[]>()
  for (const [index, line] of wanted.entries()) {
    if (/\w/.test(line)) indexes.set(line, [...(indexes.get(line) ?? []), index].slice(0, 20))
  }
  const votes = new Map<number, number>()
  for (const [at, line] of fileLines.entries()) {
    for (const index of indexes.get(plain(line)) ?? []) votes.set(at - index, (votes.get(at - index) ?? 0) + 1)
  }
  let best: number | undefined
  for (const [start, count] of votes) {
    if (best === undefined || count > (votes.get(best) ?? 0)) best = start
  }
  return best
}

/** Where no line is the same: the line that has most words in common with the longest one wanted. */
function likeliestStart(fileLines: readonly string[], wanted: readonly string[]): number | undefined {
  const longest = wanted.reduce((best, line, index) => (line.length > (wanted[best] ?? '').length ? index : best), 0)
  const words = wordsOf(wanted[longest] ?? '')
  let best: { readonly at: number; readonly likeness: number } | undefined
  for (const [at, line] of fileLines.slice(0, MAX_COMPARED_LINES).entries()) {
    const likeness = likenessOf(words, wordsOf(line))
    if (likeness >= MIN_LIKENESS && likeness > (best?.likeness ?? 0)) best = { at, likeness }
  }
  return best === undefined ? undefined : best.at - longest
}

function plain(line: string): string {
  const folded = /[^\0-\x7f]/.test(line) ? foldLookAlikes(line).text : line
  return folded.replace(/\s+/g, ' ').trim()
}

function wordsOf(line: string): ReadonlySet<string> {
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
