import type { EditStrategy } from './edit-strategies.js'
import { foldLineEndings } from './fold-line-endings.js'
import { lineNumber, lineNumbers } from './line-numbers.js'
import { nearestPlace } from './nearest-place.js'
import type { EditPlan, TextEdit } from './plan-edit.js'

const MAX_LISTED_LINES = 10
const MAX_SHOWN_LINES = 12
const MAX_SHOWN_CHARACTERS = 200

/** How the parts of an edit are called by those who sent it. */
export interface EditWords {
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
