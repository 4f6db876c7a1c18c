import type { FoldedEdit, Haystack, Match } from './ladder/match.js'
import { alignParts } from './text/align-parts.js'
import { endingNear, splitLines } from './text/lines.js'
import type { TextChange } from './text/text-change.js'

/**
 * Converts a match to a change. Lines that the edit keeps stay as they are in the file; new lines are adapted to the
 * file. Undefined if a new line cannot be adapted.
 */
export function fitMatch({ text, hasReturns }: Haystack, match: Match): TextChange | undefined {
  const { start, end, edit } = match
  const raw = text.slice(start, end)
  if (raw === edit.oldText && !(hasReturns && hasLines(edit))) return { start, end, text: edit.newText }
  const rawLines = rawLinesOf(raw)
  const newLines = fitLines(match, rawLines)
  if (newLines === undefined) return undefined
  const ending = rawLines.find((line) => line.ending !== '')?.ending ?? endingNear(text, start, end)
  return { start, end, text: joinLines(newLines, ending, text.slice(0, start)) }
}

/** Within one line there is no line ending to adapt. */
function hasLines({ oldText, newText }: FoldedEdit): boolean {
  return oldText.includes('\n') || newText.includes('\n')
}

interface FittedLine {
  readonly content: string
  /** The ending of the file line that it keeps or replaces. */
  readonly ending: string | undefined
}

function fitLines({ edit, fitLine }: Match, rawLines: readonly RawLine[]): readonly FittedLine[] | undefined {
  const oldLines = edit.oldText.split('\n')
  const newLines = edit.newText.split('\n')
  const kept = edit.kept ?? alignParts(oldLines, newLines)
  const replaced = replacedBy(kept, newLines.length, oldLines.length)
  const fitted: FittedLine[] = []
  for (const [index, line] of newLines.entries()) {
    const own = rawLines[kept[index] ?? -1]
    const before = rawLines[replaced[index] ?? -1]
    const counterpart = before && { raw: before.content, old: oldLines[replaced[index] ?? -1] ?? '' }
    const content = own?.content ?? (fitLine === undefined ? line : fitLine(line, index, counterpart))
    if (content === undefined) return undefined
    fitted.push({ content, ending: (own ?? before)?.ending })
  }
  return fitted
}

/** A line without an ending takes that of the line before. */
function joinLines(lines: readonly FittedLine[], firstEnding: string, before: string): string {
  let ending = firstEnding
  let joined = ''
  for (const [index, line] of lines.entries()) {
    joined += line.content
    if (index === lines.length - 1) break
    ending = line.ending || ending
    // An empty line between a CR and an LF would merge two line endings into one.
    const wouldJoin = ending === '\n' && (joined === '' ? before : joined).endsWith('\r')
    joined += wouldJoin ? '\r' : ending
  }
  return joined
}

interface RawLine {
  readonly content: string
  readonly ending: string
}

function rawLinesOf(raw: string): readonly RawLine[] {
  return splitLines(raw).map(({ start, end, next }) => ({
    content: raw.slice(start, end),
    ending: raw.slice(end, next),
  }))
}

/** For each new line that is not kept, the index of the old line it replaces, counting from the last kept line. */
function replacedBy(
  kept: readonly (number | undefined)[],
  count: number,
  oldCount: number,
): readonly (number | undefined)[] {
  const limits: number[] = []
  for (let index = count - 1, limit = oldCount; index >= 0; index--) {
    limit = kept[index] ?? limit
    limits[index] = limit
  }
  let next = 0
  return limits.map((limit, index) => {
    const own = kept[index]
    if (own !== undefined) next = own
    if (own === undefined && next >= limit) return undefined
    next++
    return own === undefined ? next - 1 : undefined
  })
}
