import type { TextLine } from '../text/lines.js'
import { type FoldedEdit, type Haystack, hasSubstance, type Match } from './match.js'

/** Whole lines that stand further in or out than was said, all by the same shift, or with tabs in place of spaces. */
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
  // A place with another shift in every line is a rival of others, and never changed itself.
  return found.length === 1 && found[0]?.fitLine === undefined ? [] : found
}

interface SearchedLines {
  readonly body: readonly string[]
  /** A text that begins or ends with a newline reaches to the end of the line before, or the start of the line after. */
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
  return body.flatMap((said, index) => {
    const { start, end } = lines[at + index] as TextLine
    return said.trim() === '' ? [] : [{ said: indentOf(said), found: indentOf(text.slice(start, end)) }]
  })
}

/** Shifts lines as the old text is shifted; undefined where that is not by the same shift everywhere. */
function lineFitter(pairs: readonly IndentPair[], reachesBack: boolean): Match['fitLine'] | undefined {
  const whole = reindentBy(pairs)
  const [first, ...others] = pairs
  // A text that was cut at its first word says nothing about the indentation of its first line.
  const isCut = whole === undefined && !reachesBack && first?.said === ''
  const reindent = isCut ? reindentBy(others) : whole
  if (reindent === undefined) return undefined
  return (line, index) => {
    if (line.trim() === '') return line
    const said = indentOf(line)
    const indent = isCut && index === 0 && said === '' ? first?.found : reindent(said)
    return indent === undefined ? undefined : indent + line.slice(said.length)
  }
}

function indentOf(line: string): string {
  return line.slice(0, line.length - line.trimStart().length)
}

/** The indentation of a line as it was said, and as it stands in the file. */
interface IndentPair {
  readonly said: string
  readonly found: string
}

/** The indentation that stands in the file for one that was said; undefined where none can. */
type Reindent = (said: string) => string | undefined

/** The one shift that makes every said indentation the one found, if there is one. */
function reindentBy(pairs: readonly IndentPair[]): Reindent | undefined {
  const [first] = pairs
  if (first === undefined) return undefined
  return addedPrefix(pairs, first) ?? removedPrefix(pairs, first) ?? otherColumns(pairs)
}

function addedPrefix(pairs: readonly IndentPair[], first: IndentPair): Reindent | undefined {
  const prefix = first.found.slice(0, Math.max(0, first.found.length - first.said.length))
  return pairs.every(({ said, found }) => found === prefix + said) ? (said) => prefix + said : undefined
}

function removedPrefix(pairs: readonly IndentPair[], first: IndentPair): Reindent | undefined {
  const prefix = first.said.slice(0, Math.max(0, first.said.length - first.found.length))
  if (!pairs.every(({ said, found }) => said === prefix + found)) return undefined
  return (said) => (said.startsWith(prefix) ? said.slice(prefix.length) : undefined)
}

const TAB_WIDTHS = [4, 2, 8, 3]

/** Tabs for spaces or spaces for tabs, where one width of a tab explains every line. */
function otherColumns(pairs: readonly IndentPair[]): Reindent | undefined {
  const shifts = TAB_WIDTHS.flatMap((width) => {
    const shift = commonShift(pairs, width)
    return shift === undefined ? [] : [{ width, shift }]
  })
  const chosen = shifts.find(({ shift }) => shift === 0) ?? (shifts.length === 1 ? shifts[0] : undefined)
  if (chosen === undefined) return undefined
  const known = new Map(pairs.map(({ said, found }) => [said, found]))
  const usesTabs = pairs.some(({ found }) => found.includes('\t'))
  return (said) => known.get(said) ?? drawIndent(columnsOf(said, chosen.width) + chosen.shift, chosen.width, usesTabs)
}

function commonShift(pairs: readonly IndentPair[], width: number): number | undefined {
  const shifts = new Set(pairs.map(({ said, found }) => columnsOf(found, width) - columnsOf(said, width)))
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
