import type { TextLine } from '../split-lines.js'
import { type IndentPair, reindentBy } from './indent-shift.js'
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
