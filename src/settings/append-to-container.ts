import type { JsoncArray, JsoncObject } from './jsonc-node.js'
import { skipTrivia } from './skip-trivia.js'

/** Writes one more item or member as the last of a container, behind the comments that stand there. */
export function appendToContainer(text: string, container: JsoncArray | JsoncObject, written: string): string {
  const closer = container.end - 1
  const last = container.kind === 'array' ? container.items.at(-1) : container.members.at(-1)?.value
  const comma = last === undefined ? undefined : commaAfter(text, last.end)
  const isInline = last !== undefined && !/[\r\n]/.test(text.slice(container.start, container.end))
  const tail = text.slice(0, closer).trimEnd().length
  const before = last === undefined || comma !== undefined ? '' : ','
  const head = last === undefined ? text.slice(0, tail) : text.slice(0, last.end) + before + text.slice(last.end, tail)
  if (isInline) return `${head} ${written}${text.slice(tail)}`
  const inner = childIndent(text, container)
  const lineBreak = lineBreakOf(text)
  const end = `${comma === undefined ? '' : ','}${lineBreak}${indentBefore(text, container.start)}`
  return `${head}${lineBreak}${inner}${written}${end}${text.slice(closer)}`
}

/** The offset of the comma behind an item, if there is one. */
export function commaAfter(text: string, from: number): number | undefined {
  const next = skipTrivia(text, from)
  return next !== undefined && text[next] === ',' ? next : undefined
}

/** The white space that the line of this offset begins with. */
export function indentBefore(text: string, offset: number): string {
  const lineStart = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1
  return /^[ \t]*/.exec(text.slice(lineStart, offset))?.[0] ?? ''
}

export function lineBreakOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/** How this file indents a level: as its first indented key does. */
export function indentUnit(text: string): string {
  return /[\r\n]([ \t]+)"/.exec(text)?.[1] ?? '  '
}

function childIndent(text: string, container: JsoncArray | JsoncObject): string {
  const first = container.kind === 'array' ? container.items[0]?.start : container.members[0]?.keyStart
  const hasOwnLine = first !== undefined && /[\r\n]/.test(text.slice(container.start, first))
  return hasOwnLine ? indentBefore(text, first) : indentBefore(text, container.start) + indentUnit(text)
}
