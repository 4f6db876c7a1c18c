import type { Steps } from '../../shared/steps.js'
import type { TextLine } from '../text/lines.js'
import { findEqualLines } from './find-line-run.js'
import { type FitLine, type FoldedEdit, type Haystack, hasLetterOrDigit, type Match } from './match.js'

/** Finds whole lines whose indentation differs by one common shift, or by tabs instead of spaces. */
export function* findIndented(haystack: Haystack, edit: FoldedEdit): Steps<readonly Match[]> {
  if (!hasLetterOrDigit(edit.oldText)) return []
  const { text } = haystack
  const lines = yield* haystack.lines()
  const oldLines = oldLinesOf(edit.oldText)
  const contents = oldLines.body.map((line) => line.trim())
  const lineIndexes = yield* findEqualLines(lines, contents, ({ start, end }) => text.slice(start, end).trim())
  const matches = lineIndexes.flatMap((at) => matchAt({ text, lines }, at, oldLines, edit) ?? [])
  // A place without a common shift makes other matches ambiguous, but is never changed itself.
  return matches.length === 1 && matches[0]?.fitLine === undefined ? [] : matches
}

/** The lines of the old text; `body` omits the empty line before a leading newline and after a final one. */
interface OldLines {
  readonly body: readonly string[]
  /**
   * Whether the text starts or ends with a newline. It then extends to the end of the previous or the start of the next line.
   */
  readonly startsWithNewline: boolean
  readonly endsWithNewline: boolean
}

function oldLinesOf(oldText: string): OldLines {
  const pieces = oldText.split('\n')
  const startsWithNewline = pieces.length > 1 && pieces[0] === ''
  const endsWithNewline = pieces.length > 1 && pieces.at(-1) === ''
  return {
    body: pieces.slice(startsWithNewline ? 1 : 0, endsWithNewline ? -1 : undefined),
    startsWithNewline,
    endsWithNewline,
  }
}

interface FileLines {
  readonly text: string
  readonly lines: readonly TextLine[]
}

function matchAt(
  file: FileLines,
  at: number,
  { body, startsWithNewline, endsWithNewline }: OldLines,
  edit: FoldedEdit,
): Match | undefined {
  const lastLine = file.lines[at + body.length - 1] as TextLine
  const start = startsWithNewline ? file.lines[at - 1]?.end : file.lines[at]?.start
  if (start === undefined || (endsWithNewline && lastLine.nextStart === lastLine.end)) return undefined
  let fitter: { readonly fitLine: FitLine | undefined } | undefined
  return {
    start,
    end: endsWithNewline ? lastLine.nextStart : lastLine.end,
    edit,
    // The function is created on demand: if many places match, none of them is changed.
    get fitLine() {
      fitter ??= { fitLine: createLineFitter(pairIndents(file, at, body), startsWithNewline) }
      return fitter.fitLine
    },
  }
}

function pairIndents({ text, lines }: FileLines, at: number, body: readonly string[]): readonly IndentPair[] {
  return body.flatMap((oldLine, index) => {
    const { start, end } = lines[at + index] as TextLine
    return oldLine.trim() === ''
      ? []
      : [{ editIndent: indentOf(oldLine), fileIndent: indentOf(text.slice(start, end)) }]
  })
}

/** Creates a function that indents new lines like the file; undefined if the lines are shifted differently. */
function createLineFitter(pairs: readonly IndentPair[], startsWithNewline: boolean): FitLine | undefined {
  const reindentAll = createReindent(pairs)
  const [first, ...others] = pairs
  // If the old text starts in the middle of a line, it does not show the indentation of that line.
  const startsMidLine = reindentAll === undefined && !startsWithNewline && first?.editIndent === ''
  const reindent = startsMidLine ? createReindent(others) : reindentAll
  if (reindent === undefined) return undefined
  return (line, index) => {
    if (line.trim() === '') return line
    const editIndent = indentOf(line)
    const indent = startsMidLine && index === 0 && editIndent === '' ? first?.fileIndent : reindent(editIndent)
    return indent === undefined ? undefined : indent + line.slice(editIndent.length)
  }
}

function indentOf(line: string): string {
  return line.slice(0, line.length - line.trimStart().length)
}

/** The indentation of a line in the edit and in the file. */
interface IndentPair {
  readonly editIndent: string
  readonly fileIndent: string
}

/** Converts an indentation of the edit to that of the file; undefined if it cannot be converted. */
type Reindent = (editIndent: string) => string | undefined

/** Creates the conversion that maps every indentation of the edit to that of the file; undefined if there is none. */
function createReindent(pairs: readonly IndentPair[]): Reindent | undefined {
  const [first] = pairs
  if (first === undefined) return undefined
  return createAddingReindent(pairs, first) ?? createRemovingReindent(pairs, first) ?? createColumnReindent(pairs)
}

function createAddingReindent(pairs: readonly IndentPair[], firstPair: IndentPair): Reindent | undefined {
  const prefix = firstPair.fileIndent.slice(0, Math.max(0, firstPair.fileIndent.length - firstPair.editIndent.length))
  return pairs.every(({ editIndent, fileIndent }) => fileIndent === prefix + editIndent)
    ? (editIndent) => prefix + editIndent
    : undefined
}

function createRemovingReindent(pairs: readonly IndentPair[], firstPair: IndentPair): Reindent | undefined {
  const prefix = firstPair.editIndent.slice(0, Math.max(0, firstPair.editIndent.length - firstPair.fileIndent.length))
  if (!pairs.every(({ editIndent, fileIndent }) => editIndent === prefix + fileIndent)) return undefined
  return (editIndent) => (editIndent.startsWith(prefix) ? editIndent.slice(prefix.length) : undefined)
}

const TAB_WIDTHS = [4, 2, 8, 3]

/** Converts between tabs and spaces, if one tab width explains the indentation of every line. */
function createColumnReindent(pairs: readonly IndentPair[]): Reindent | undefined {
  const shifts = TAB_WIDTHS.flatMap((width) => {
    const shift = findCommonShift(pairs, width)
    return shift === undefined ? [] : [{ width, shift }]
  })
  const chosenShift = shifts.find(({ shift }) => shift === 0) ?? (shifts.length === 1 ? shifts[0] : undefined)
  if (chosenShift === undefined) return undefined
  const knownIndents = new Map(pairs.map(({ editIndent, fileIndent }) => [editIndent, fileIndent]))
  const usesTabs = pairs.some(({ fileIndent }) => fileIndent.includes('\t'))
  return (editIndent) =>
    knownIndents.get(editIndent) ??
    createIndent(columnsOf(editIndent, chosenShift.width) + chosenShift.shift, chosenShift.width, usesTabs)
}

function findCommonShift(pairs: readonly IndentPair[], width: number): number | undefined {
  const shifts = new Set(
    pairs.map(({ editIndent, fileIndent }) => columnsOf(fileIndent, width) - columnsOf(editIndent, width)),
  )
  return shifts.size === 1 ? [...shifts][0] : undefined
}

function columnsOf(indent: string, width: number): number {
  let columns = 0
  for (const character of indent) columns += character === '\t' ? width - (columns % width) : 1
  return columns
}

function createIndent(columns: number, width: number, usesTabs: boolean): string | undefined {
  if (columns < 0) return undefined
  return usesTabs ? '\t'.repeat(columns / width) + ' '.repeat(columns % width) : ' '.repeat(columns)
}
