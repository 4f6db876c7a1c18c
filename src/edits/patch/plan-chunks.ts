import type { Steps } from '../../shared/steps.js'
import type { EditStrategy } from '../edit-strategies.js'
import { type EditPlan, planEdit } from '../plan-edit.js'
import { findNearestEnding, splitLines, type TextLine } from '../text/lines.js'
import type { TextChange, TextRange } from '../text/text-change.js'
import type { PatchChunk } from './parse-patch.js'

/** The sorted changes of all chunks, or the first chunk that cannot be placed. Chunks are numbered from 1. */
type ChunksPlan =
  | { readonly kind: 'found'; readonly strategies: readonly EditStrategy[]; readonly changes: readonly TextChange[] }
  | { readonly kind: 'failed'; readonly chunk: number; readonly problem: ChunkProblem }

export type ChunkProblem =
  | Exclude<EditPlan, { kind: 'found' }>
  | { readonly kind: 'anchor missing' | 'no context' | 'overlap' }

/** Finds every chunk in the original text with the strategies of `planEdit`, but matches whole lines only. */
export function* planChunks(text: string, chunks: readonly PatchChunk[]): Steps<ChunksPlan> {
  const changes: TextChange[] = []
  const strategies: EditStrategy[] = []
  let previousEnd = 0
  for (const [index, chunk] of chunks.entries()) {
    const plan = yield* planChunk(text, chunk, previousEnd)
    if (plan.kind !== 'found') return { kind: 'failed', chunk: index + 1, problem: plan }
    const [change] = plan.changes
    if (change === undefined) continue
    yield
    if (changes.some((other) => overlaps(other, change))) {
      return { kind: 'failed', chunk: index + 1, problem: { kind: 'overlap' } }
    }
    changes.push(change)
    strategies.push(plan.strategy)
    previousEnd = change.end
  }
  return { kind: 'found', strategies, changes: changes.sort((a, b) => a.start - b.start) }
}

function overlaps(a: TextRange, b: TextRange): boolean {
  return a.start < b.end && b.start < a.end
}

function* planChunk(
  text: string,
  chunk: PatchChunk,
  previousEnd: number,
): Steps<EditPlan | Exclude<ChunkProblem, EditPlan>> {
  const scopes = chunk.anchors.length === 0 ? undefined : findScopes(text, chunk.anchors)
  if (scopes?.length === 0) return { kind: 'anchor missing' }
  if (chunk.oldLines.length === 0) return planInsertion(text, chunk, scopes)
  const edit = {
    oldString: joinLines(chunk.oldLines),
    newString: joinLines(chunk.newLines),
    // Both texts end with a newline, so both end with the same empty last line.
    oldIndexes: [...chunk.oldIndexes, chunk.oldLines.length],
  }
  const isEligible = (range: TextRange) =>
    startsLine(text, range) && (scopes === undefined || scopes.some((scope) => startsIn(range, scope)))
  const plan = yield* planEdit(text, edit, isEligible)
  if (plan.kind !== 'ambiguous') return plan
  // The end mark, the line number and the order of chunks may decide between equally strict matches, never for a looser one.
  for (const matchesHint of hintsOf(text, chunk, previousEnd)) {
    const hintedPlan = yield* planEdit(text, edit, (range) => isEligible(range) && matchesHint(range))
    if (hintedPlan.kind === 'found' && isAsStrict(hintedPlan.strategy, plan.strategy)) return hintedPlan
  }
  return plan
}

function isAsStrict(foundStrategy: EditStrategy, ambiguousStrategy: EditStrategy): boolean {
  return foundStrategy === ambiguousStrategy || (ambiguousStrategy === 'verbatim' && foundStrategy === 'line endings')
}

/** Whether a range agrees with a hint in the patch about the position of the chunk. */
type Hint = (range: TextRange) => boolean

function hintsOf(text: string, { isAtEnd, line }: PatchChunk, previousEnd: number): readonly Hint[] {
  const start = line === undefined ? -1 : findLineStart(text, line)
  return [
    ...(isAtEnd ? [({ end }: TextRange) => text.slice(end).trim() === ''] : []),
    ...(line === undefined ? [] : [(range: TextRange) => range.start === start]),
    (range) => previousEnd > 0 && range.start >= previousEnd,
  ]
}

/** Plans a chunk that only adds lines. It must be below an anchor, at the end of the file, or in an empty file. */
function planInsertion(
  text: string,
  { newLines, isAtEnd }: PatchChunk,
  scopes: readonly TextRange[] | undefined,
): EditPlan | { readonly kind: 'no context' } {
  if (text === '') return createInsertionPlan(0, joinLines(newLines))
  if (isAtEnd) {
    const ending = findNearestEnding(text, text.length, text.length)
    const endsWithNewline = /[\r\n]$/.test(text)
    return createInsertionPlan(
      text.length,
      endsWithNewline ? newLines.map((line) => line + ending).join('') : ending + newLines.join(ending),
    )
  }
  if (scopes === undefined) return { kind: 'no context' }
  const [scope, ...others] = scopes
  if (scope === undefined || others.length > 0) {
    return { kind: 'ambiguous', strategy: 'verbatim', offsets: scopes.map(({ start }) => start) }
  }
  const ending = findNearestEnding(text, scope.start, scope.start)
  const at = findNextLineStart(text, scope.start)
  const endsWithNewline = at > 0 && /[\r\n]/.test(text[at - 1] ?? '')
  return createInsertionPlan(
    at,
    endsWithNewline ? newLines.map((line) => line + ending).join('') : ending + newLines.join(ending),
  )
}

function createInsertionPlan(at: number, text: string): EditPlan {
  return { kind: 'found', strategy: 'verbatim', changes: [{ start: at, end: at, text }] }
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

function startsLine(text: string, { start }: TextRange): boolean {
  return start === 0 || /[\r\n]/.test(text[start - 1] ?? '')
}

function startsIn({ start }: TextRange, scope: TextRange): boolean {
  return start >= scope.start && start < scope.end
}

function findLineStart(text: string, line: number): number {
  let at = 0
  for (let step = 1; step < line && at !== -1; step++)
    at = text.indexOf('\n', at) === -1 ? -1 : text.indexOf('\n', at) + 1
  return at
}

function findNextLineStart(text: string, from: number): number {
  const lineEnding = /\r\n?|\n/g
  lineEnding.lastIndex = from
  return lineEnding.exec(text) === null ? text.length : lineEnding.lastIndex
}

/** Returns the blocks that the anchor lines open. Empty if an anchor is not found. */
function findScopes(text: string, anchors: readonly string[]): readonly TextRange[] {
  const lines = splitLines(text)
  const contentOf = (line: TextLine) => text.slice(line.start, line.end)
  let scopes: readonly Scope[] = [{ from: 0, to: lines.length - 1 }]
  for (const anchor of anchors) {
    scopes = scopes.flatMap((scope) =>
      findAnchorLines(lines, scope, anchor, contentOf).map((at) => findBlock(lines, at, contentOf)),
    )
  }
  return scopes.map(({ from, to }) => ({ start: lines[from]?.start ?? 0, end: lines[to]?.nextStart ?? text.length }))
}

/** A range of lines, as indexes. Both ends are inclusive. */
interface Scope {
  readonly from: number
  readonly to: number
}

type ContentOf = (line: TextLine) => string

/** Returns the lines equal to the anchor; if there are none, lines that start with it. */
function findAnchorLines(
  lines: readonly TextLine[],
  { from, to }: Scope,
  anchor: string,
  contentOf: ContentOf,
): number[] {
  const candidates = lines.slice(from, to + 1).map((line) => contentOf(line).trim())
  for (const isAnchor of [(line: string) => line === anchor, (line: string) => line.startsWith(anchor)]) {
    const foundLines = candidates.flatMap((line, index) => (isAnchor(line) ? [from + index] : []))
    if (foundLines.length > 0) return foundLines
  }
  return []
}

/** Returns the range from a line to the first line after the block that it opens; to the end of the text if it opens no block. */
function findBlock(lines: readonly TextLine[], at: number, contentOf: ContentOf): Scope {
  const depth = depthOf(contentOf(lines[at] as TextLine))
  let hasOpenedBlock = false
  for (let index = at + 1; index < lines.length; index++) {
    const line = contentOf(lines[index] as TextLine)
    if (line.trim() === '') continue
    const isInside = depthOf(line) > depth
    const isBrace = !hasOpenedBlock && line.trim() === '{'
    if (!isInside && !isBrace) return { from: at, to: hasOpenedBlock ? index : lines.length - 1 }
    hasOpenedBlock ||= isInside
  }
  return { from: at, to: lines.length - 1 }
}

function depthOf(line: string): number {
  return line.length - line.trimStart().length
}
