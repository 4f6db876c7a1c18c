import type { FoldedEdit, Haystack, Match } from './ladder/match.js'
import { alignParts } from './text/align-parts.js'
import { findNearestEnding, splitLines } from './text/lines.js'
import type { TextChange } from './text/text-change.js'

/**
 * Converts a match to a change. Lines that the edit keeps stay as they are in the file; new lines are adapted to the
 * file. Undefined if a new line cannot be adapted.
 */
export function fitMatch(
  { text, hasCarriageReturns }: Pick<Haystack, 'text' | 'hasCarriageReturns'>,
  match: Match,
): TextChange | undefined {
  const { start, end, edit } = match
  const raw = text.slice(start, end)
  if (raw === edit.oldText && !(hasCarriageReturns && hasLineEndings(edit))) return { start, end, text: edit.newText }
  const rawLines = rawLinesOf(raw)
  const newLines = fitLines(match, rawLines)
  if (newLines === undefined) return undefined
  const ending = rawLines.find((line) => line.ending !== '')?.ending ?? findNearestEnding(text, start, end)
  return { start, end, text: joinLines(newLines, ending, text.slice(0, start)) }
}

/** Whether the edit has line endings, which may have to be adapted to those of the file. */
function hasLineEndings({ oldText, newText }: FoldedEdit): boolean {
  return oldText.includes('\n') || newText.includes('\n')
}

interface FittedLine {
  readonly content: string
  /** The ending of the file's line that this line keeps or replaces. */
  readonly ending: string | undefined
}

function fitLines({ edit, fitLine }: Match, rawLines: readonly RawLine[]): readonly FittedLine[] | undefined {
  const oldLines = edit.oldText.split('\n')
  const newLines = edit.newText.split('\n')
  const oldIndexes = edit.oldIndexes ?? alignParts(oldLines, newLines)
  const replacedIndexes = findReplacedLines(oldIndexes, newLines.length, oldLines.length)
  const fittedLines: FittedLine[] = []
  for (const [index, line] of newLines.entries()) {
    const keptLine = rawLines[oldIndexes[index] ?? -1]
    const replacedLine = rawLines[replacedIndexes[index] ?? -1]
    const counterpartLine = replacedLine && {
      raw: replacedLine.content,
      old: oldLines[replacedIndexes[index] ?? -1] ?? '',
    }
    const content = keptLine?.content ?? (fitLine === undefined ? line : fitLine(line, index, counterpartLine))
    if (content === undefined) return undefined
    fittedLines.push({ content, ending: (keptLine ?? replacedLine)?.ending })
  }
  return fittedLines
}

/** Joins the lines. A line without an ending gets the ending of the line before it. */
function joinLines(lines: readonly FittedLine[], firstEnding: string, textBefore: string): string {
  let ending = firstEnding
  let joinedText = ''
  for (const [index, line] of lines.entries()) {
    joinedText += line.content
    if (index === lines.length - 1) break
    ending = line.ending || ending
    // After a CR, an empty line that ends with LF would merge both endings into one CRLF.
    const wouldMerge = ending === '\n' && (joinedText === '' ? textBefore : joinedText).endsWith('\r')
    joinedText += wouldMerge ? '\r' : ending
  }
  return joinedText
}

interface RawLine {
  readonly content: string
  readonly ending: string
}

function rawLinesOf(raw: string): readonly RawLine[] {
  return splitLines(raw).map(({ start, end, nextStart }) => ({
    content: raw.slice(start, end),
    ending: raw.slice(end, nextStart),
  }))
}

/** Returns for each new line that is not kept the index of the old line that it replaces, counting from the last kept line. */
function findReplacedLines(
  oldIndexes: readonly (number | undefined)[],
  count: number,
  oldCount: number,
): readonly (number | undefined)[] {
  const limits: number[] = []
  for (let index = count - 1, limit = oldCount; index >= 0; index--) {
    limit = oldIndexes[index] ?? limit
    limits[index] = limit
  }
  let nextIndex = 0
  return limits.map((limit, index) => {
    const oldIndex = oldIndexes[index]
    if (oldIndex !== undefined) nextIndex = oldIndex
    if (oldIndex === undefined && nextIndex >= limit) return undefined
    nextIndex++
    return oldIndex === undefined ? nextIndex - 1 : undefined
  })
}
