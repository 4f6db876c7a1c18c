import type { TextLine } from '../text/lines.js'
import { type FoldedEdit, type Haystack, hasSubstance, type Match } from './match.js'

/** Finds whole lines whose indentation differs by one common shift, or by tabs instead of spaces. */
export function findIndented(haystack: Haystack, edit: FoldedEdit): readonly Match[] {
  if (!hasSubstance(edit.oldText)) return []
  const searched = searchedLines(edit.oldText)
  const wanted = searched.body.map((line) => line.trim())
  const found: Match[] = []
  for (let at = 0; at + wanted.length <= haystack.lines.length; at++) {
    if (!hasContents(haystack, at, wanted)) continue
    const match = matchAt(haystack, at, searched, edit)
    if (match !== undefined) found.push(match)
  }
  // A match without a common shift makes others ambiguous, but is never changed itself.
  return found.length === 1 && found[0]?.fitLine === undefined ? [] : found
}

interface SearchedLines {
  readonly body: readonly string[]
  /** A text that starts or ends with a newline extends to the end of the previous or the start of the next line. */
  readonly reachesBack: boolean
  readonly reachesOn: boolean
}

function searchedLines(oldText: string): SearchedLines {
  const pieces = oldText.split('\n')
  const reachesBack = pieces.length > 1 && pieces[0] === ''
  const reachesOn = pieces.length > 1 && pieces.at(-1) === ''
  return { body: pieces.slice(reachesBack ? 1 : 0, reachesOn ? -1 : undefined), reachesBack, reachesOn }
}

function matchAt(
  haystack: Haystack,
  at: number,
  { body, reachesBack, reachesOn }: SearchedLines,
  edit: FoldedEdit,
): Match | undefined {
  const last = haystack.lines[at + body.length - 1] as TextLine
  const start = reachesBack ? haystack.lines[at - 1]?.end : haystack.lines[at]?.start
  if (start === undefined || (reachesOn && last.next === last.end)) return undefined
  const fitLine = lineFitter(indentPairs(haystack, at, body), reachesBack)
  return { start, end: reachesOn ? last.next : last.end, edit, ...(fitLine !== undefined && { fitLine }) }
}

function hasContents({ text, lines }: Haystack, at: number, wanted: readonly string[]): boolean {
  return wanted.every((content, index) => {
    const line = lines[at + index] as TextLine
    if (line.end - line.start < content.length) return false
    return text.slice(line.start, line.end).trim() === content
  })
}

function indentPairs({ text, lines }: Haystack, at: number, body: readonly string[]): readonly IndentPair[] {
  return body.flatMap((sent, index) => {
    const { start, end } = lines[at + index] as TextLine
    return sent.trim() === '' ? [] : [{ sent: indentOf(sent), found: indentOf(text.slice(start, end)) }]
  })
}

/** A function that shifts new lines like the old text; undefined if the shift differs between lines. */
function lineFitter(pairs: readonly IndentPair[], reachesBack: boolean): Match['fitLine'] | undefined {
  const whole = reindentBy(pairs)
  const [first, ...others] = pairs
  // If the old text starts in the middle of a line, it does not show the indentation of that line.
  const isCut = whole === undefined && !reachesBack && first?.sent === ''
  const reindent = isCut ? reindentBy(others) : whole
  if (reindent === undefined) return undefined
  return (line, index) => {
    if (line.trim() === '') return line
    const sent = indentOf(line)
    const indent = isCut && index === 0 && sent === '' ? first?.found : reindent(sent)
    return indent === undefined ? undefined : indent + line.slice(sent.length)
  }
}

function indentOf(line: string): string {
  return line.slice(0, line.length - line.trimStart().length)
}

/** The indentation of a line in the edit and in the file. */
interface IndentPair {
  readonly sent: string
  readonly found: string
}

/** Converts an indentation of the edit to that of the file; undefined if there is none. */
type Reindent = (sent: string) => string | undefined

/** The shift that converts every indentation of the edit to that of the file, if there is one. */
function reindentBy(pairs: readonly IndentPair[]): Reindent | undefined {
  const [first] = pairs
  if (first === undefined) return undefined
  return addedPrefix(pairs, first) ?? removedPrefix(pairs, first) ?? otherColumns(pairs)
}

function addedPrefix(pairs: readonly IndentPair[], first: IndentPair): Reindent | undefined {
  const prefix = first.found.slice(0, Math.max(0, first.found.length - first.sent.length))
  return pairs.every(({ sent, found }) => found === prefix + sent) ? (sent) => prefix + sent : undefined
}

function removedPrefix(pairs: readonly IndentPair[], first: IndentPair): Reindent | undefined {
  const prefix = first.sent.slice(0, Math.max(0, first.sent.length - first.found.length))
  if (!pairs.every(({ sent, found }) => sent === prefix + found)) return undefined
  return (sent) => (sent.startsWith(prefix) ? sent.slice(prefix.length) : undefined)
}

const TAB_WIDTHS = [4, 2, 8, 3]

/** Tabs instead of spaces or the reverse, if one tab width explains every line. */
function otherColumns(pairs: readonly IndentPair[]): Reindent | undefined {
  const shifts = TAB_WIDTHS.flatMap((width) => {
    const shift = commonShift(pairs, width)
    return shift === undefined ? [] : [{ width, shift }]
  })
  const chosen = shifts.find(({ shift }) => shift === 0) ?? (shifts.length === 1 ? shifts[0] : undefined)
  if (chosen === undefined) return undefined
  const known = new Map(pairs.map(({ sent, found }) => [sent, found]))
  const usesTabs = pairs.some(({ found }) => found.includes('\t'))
  return (sent) => known.get(sent) ?? drawIndent(columnsOf(sent, chosen.width) + chosen.shift, chosen.width, usesTabs)
}

function commonShift(pairs: readonly IndentPair[], width: number): number | undefined {
  const shifts = new Set(pairs.map(({ sent, found }) => columnsOf(found, width) - columnsOf(sent, width)))
  return shifts.size === 1 ? [...shifts][0] : undefined
}

function columnsOf(indent: string, width: number): number {
  let columns = 0
  for (const character of indent) columns += character === '\t' ? width - (columns % width) : 1
  return columns
}

function drawIndent(columns: number, width: number, usesTabs: boolean): string | undefined {
  if (columns < 0) return undefined
  return usesTabs ? '\t'.repeat(columns / width) + ' '.repeat(columns % width) : ' '.repeat(columns)
}
