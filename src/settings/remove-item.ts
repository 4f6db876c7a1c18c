import { commaAfter } from './append-to-container.js'
import type { JsoncArray, JsoncObject } from './jsonc-node.js'

/** Takes one item or member out of a container with its comma and, if nothing else stands on it, its line. */
export function removeItem(text: string, container: JsoncArray | JsoncObject, index: number): string {
  const items = spansOf(container)
  const item = items[index]
  if (item === undefined) return text
  const previous = items[index - 1]
  const following = commaAfter(text, item.end)
  const comma = following ?? (previous === undefined ? undefined : commaAfter(text, previous.end))
  const withoutItem = cut(text, item.start, item.end)
  if (comma === undefined) return closeGap(withoutItem, item.start)
  if (comma < item.start) return cut(closeGap(withoutItem, item.start), comma, comma + 1)
  const shifted = comma - (item.end - item.start)
  return closeGap(cut(withoutItem, shifted, shifted + 1), item.start)
}

function spansOf(container: JsoncArray | JsoncObject): readonly { readonly start: number; readonly end: number }[] {
  if (container.kind === 'array') return container.items
  return container.members.map(({ keyStart, value }) => ({ start: keyStart, end: value.end }))
}

function cut(text: string, from: number, to: number): string {
  return text.slice(0, from) + text.slice(to)
}

/** Removes the line if it is blank now, else the space that stood before or behind the item. */
function closeGap(text: string, at: number): string {
  const start = backOverBlanks(text, at)
  const end = overBlanks(text, at)
  const opensLine = isLineBreak(text[start - 1])
  if (opensLine && isLineBreak(text[end])) return cut(text, startOfBreak(text, start), end)
  if (opensLine) return cut(text, at, end)
  return /[[{]/.test(text[start - 1] ?? '') ? cut(text, start, end) : cut(text, start, at)
}

function backOverBlanks(text: string, from: number): number {
  let at = from
  while (isBlank(text[at - 1])) at--
  return at
}

function overBlanks(text: string, from: number): number {
  let at = from
  while (isBlank(text[at])) at++
  return at
}

function startOfBreak(text: string, afterBreak: number): number {
  return text.slice(afterBreak - 2, afterBreak) === '\r\n' ? afterBreak - 2 : afterBreak - 1
}

function isBlank(char: string | undefined): boolean {
  return char === ' ' || char === '\t'
}

function isLineBreak(char: string | undefined): boolean {
  return char === '\n' || char === '\r'
}
