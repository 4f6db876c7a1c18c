import {
  childAt,
  type JsoncArray,
  type JsoncNode,
  type JsoncObject,
  jsoncValue,
  parseJsonc,
  skipTrivia,
} from './parse-jsonc.js'

/** The text cannot be edited: it is malformed, or a value of another type is in the way. */
export class JsoncEditError extends Error {
  override readonly name = 'JsoncEditError'
}

/** Every edit parses the text again. A list with more changes than this is rewritten without its comments. */
const MAX_SINGLE_EDITS = 200

/** Sets the value at a path of keys. All other characters of the text stay the same. */
export function setJsoncValue(text: string, path: readonly string[], value: unknown): string {
  const parent = findParent(text, path)
  if (parent.missing.length > 0) return addMember(text, parent.node, parent.missing, value)
  if (isSame(jsoncValue(parent.node), value)) return text
  const written = print(text, value, indentBefore(text, parent.node.start))
  return text.slice(0, parent.node.start) + written + text.slice(parent.node.end)
}

/** Makes the list at a path equal to `wanted`. Items that stay keep their position and the comments around them. */
export function setJsoncList(text: string, path: readonly string[], wanted: readonly unknown[]): string {
  const { node, missing } = findParent(text, path)
  if (missing.length > 0) return wanted.length === 0 ? text : addMember(text, node, missing, wanted)
  if (node.kind !== 'array') throw new JsoncEditError(`${path.join('.')} is not a list`)
  const { dropped, added } = compare(node.items.map(jsoncValue), wanted)
  if (dropped.length + added.length > MAX_SINGLE_EDITS) return setJsoncValue(text, path, wanted)
  let edited = text
  for (const index of dropped.reverse()) edited = removeItem(edited, arrayAt(edited, path), index)
  for (const item of added) edited = appendToContainer(edited, arrayAt(edited, path), print(text, item, ''))
  return edited
}

/** Removes the member at a path. All other characters of the text stay the same. */
export function removeJsoncMember(text: string, path: readonly string[]): string {
  const { node, missing } = findParent(text, path.slice(0, -1))
  if (missing.length > 0) return text
  if (node.kind !== 'object') throw new JsoncEditError(`${path.slice(0, -1).join('.') || 'the file'} is not an object`)
  const index = node.members.findIndex(({ key }) => key === path.at(-1))
  return index === -1 ? text : removeItem(text, node, index)
}

/** Items to remove and items to append. The longest prefix of `wanted` that is present in order stays. */
function compare(present: readonly unknown[], wanted: readonly unknown[]): { dropped: number[]; added: unknown[] } {
  const dropped: number[] = []
  let kept = 0
  for (const [index, item] of present.entries()) {
    if (kept < wanted.length && isSame(item, wanted[kept])) kept++
    else dropped.push(index)
  }
  return { dropped, added: wanted.slice(kept) }
}

/** The node at the path, or the deepest object on the way and the keys that are missing below it. */
function findParent(text: string, path: readonly string[]): { node: JsoncNode; missing: readonly string[] } {
  const { root, fault } = parseJsonc(text)
  if (fault !== undefined || root === undefined) throw new JsoncEditError(fault?.message ?? 'the file is empty')
  let node = root
  for (const [depth, key] of path.entries()) {
    if (node.kind !== 'object') {
      throw new JsoncEditError(`${path.slice(0, depth).join('.') || 'the file'} is not an object`)
    }
    const next = childAt(node, key)
    if (next === undefined) return { node, missing: path.slice(depth) }
    node = next
  }
  return { node, missing: [] }
}

function addMember(text: string, parent: JsoncNode, missing: readonly string[], value: unknown): string {
  const [key = '', ...inner] = missing
  const nested = inner.reduceRight((content, name) => ({ [name]: content }), value)
  const indent = indentBefore(text, parent.start) + indentUnit(text)
  return appendToContainer(text, parent as JsoncObject, `${JSON.stringify(key)}: ${print(text, nested, indent)}`)
}

function arrayAt(text: string, path: readonly string[]): JsoncArray {
  const { node, missing } = findParent(text, path)
  if (missing.length > 0 || node.kind !== 'array') throw new JsoncEditError(`${path.join('.')} is not a list`)
  return node
}

function print(text: string, value: unknown, indent: string): string {
  return JSON.stringify(value, null, indentUnit(text)).replaceAll('\n', lineBreakOf(text) + indent)
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Appends an item or member to a container, after any comments before the closing bracket. */
function appendToContainer(text: string, container: JsoncArray | JsoncObject, written: string): string {
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

/** The offset of the comma after an item, if there is one. */
function commaAfter(text: string, from: number): number | undefined {
  const next = skipTrivia(text, from)
  return next !== undefined && text[next] === ',' ? next : undefined
}

/** The leading white space of the line that contains this offset. */
function indentBefore(text: string, offset: number): string {
  const lineStart = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1
  return /^[ \t]*/.exec(text.slice(lineStart, offset))?.[0] ?? ''
}

function lineBreakOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/** The indentation of one level, taken from the first indented key. */
function indentUnit(text: string): string {
  return /[\r\n]([ \t]+)"/.exec(text)?.[1] ?? '  '
}

function childIndent(text: string, container: JsoncArray | JsoncObject): string {
  const first = container.kind === 'array' ? container.items[0]?.start : container.members[0]?.keyStart
  const hasOwnLine = first !== undefined && /[\r\n]/.test(text.slice(container.start, first))
  return hasOwnLine ? indentBefore(text, first) : indentBefore(text, container.start) + indentUnit(text)
}

/** Removes an item or member with its comma, and its line if nothing else is on it. */
function removeItem(text: string, container: JsoncArray | JsoncObject, index: number): string {
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

/** Removes the line if it is now blank; otherwise the white space before or after the removed item. */
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
