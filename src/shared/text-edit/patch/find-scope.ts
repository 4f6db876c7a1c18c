import { splitLines, type TextLine } from '../split-lines.js'
import type { TextRange } from '../text-change.js'

/** The parts of a text that anchors mean: the blocks that their lines open. Empty where an anchor is not there. */
export function findScopes(text: string, anchors: readonly string[]): readonly TextRange[] {
  const lines = splitLines(text)
  const content = (line: TextLine) => text.slice(line.start, line.end)
  let scopes: readonly Scope[] = [{ from: 0, to: lines.length - 1 }]
  for (const anchor of anchors) {
    scopes = scopes.flatMap((scope) =>
      anchorLines(lines, scope, anchor, content).map((at) => blockAt(lines, at, content)),
    )
  }
  return scopes.map(({ from, to }) => ({ start: lines[from]?.start ?? 0, end: lines[to]?.next ?? text.length }))
}

/** Indexes of lines, both included. */
interface Scope {
  readonly from: number
  readonly to: number
}

type ContentOf = (line: TextLine) => string

/** The lines that are the anchor; if none is, those that begin with it. */
function anchorLines(lines: readonly TextLine[], { from, to }: Scope, anchor: string, content: ContentOf): number[] {
  const candidates = lines.slice(from, to + 1).map((line) => content(line).trim())
  for (const fits of [(line: string) => line === anchor, (line: string) => line.startsWith(anchor)]) {
    const found = candidates.flatMap((line, index) => (fits(line) ? [from + index] : []))
    if (found.length > 0) return found
  }
  return []
}

/** From the line to the end of the block it opens; to the end of the text if it opens none. */
function blockAt(lines: readonly TextLine[], at: number, content: ContentOf): Scope {
  const depth = depthOf(content(lines[at] as TextLine))
  let opened = false
  for (let index = at + 1; index < lines.length; index++) {
    const line = content(lines[index] as TextLine)
    if (line.trim() === '') continue
    const isInside = depthOf(line) > depth
    const isBrace = !opened && line.trim() === '{'
    if (!isInside && !isBrace) return { from: at, to: opened ? index : lines.length - 1 }
    opened ||= isInside
  }
  return { from: at, to: lines.length - 1 }
}

function depthOf(line: string): number {
  return line.length - line.trimStart().length
}
