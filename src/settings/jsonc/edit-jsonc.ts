import {
  findChildAt,
  type JsoncArray,
  type JsoncNode,
  type JsoncObject,
  parseJsonc,
  skipTrivia,
  toValue,
} from './parse-jsonc.js'

/** The text cannot be edited: it is malformed, or a value on the path has another type than expected. */
export class JsoncEditError extends Error {
  override readonly name = 'JsoncEditError'
}

/** Every edit parses the text again. A list with more changes than this is rewritten without its comments. */
const MAX_SINGLE_EDITS = 200

/** Sets the value at a path of keys. The rest of the text keeps its format and its comments. */
export function setJsoncValue(text: string, path: readonly string[], value: unknown): string {
  const { node, missingKeys } = findNode(text, path)
  if (missingKeys.length > 0) return addMember(text, node, missingKeys, value)
  if (isSame(toValue(node), value)) return text
  const valueText = formatValue(text, value, findIndentBefore(text, node.start))
  return text.slice(0, node.start) + valueText + text.slice(node.end)
}

/** Makes the list at a path equal to `target`. Items that stay keep their position and the comments around them. */
export function setJsoncList(text: string, path: readonly string[], target: readonly unknown[]): string {
  const { node, missingKeys } = findNode(text, path)
  if (missingKeys.length > 0) return target.length === 0 ? text : addMember(text, node, missingKeys, target)
  if (node.kind !== 'array') throw new JsoncEditError(`${path.join('.')} is not a list`)
  const { removedIndexes, addedItems } = compareLists(node.items.map(toValue), target)
  if (removedIndexes.length + addedItems.length > MAX_SINGLE_EDITS) return setJsoncValue(text, path, target)
  let editedText = text
  for (const index of removedIndexes.reverse())
    editedText = removeItem(editedText, findArrayAt(editedText, path), index)
  for (const item of addedItems)
    editedText = appendToContainer(editedText, findArrayAt(editedText, path), formatValue(text, item, ''))
  return editedText
}

/** Removes the member at a path with its comma and its line. The rest of the text keeps its format and its comments. */
export function removeJsoncMember(text: string, path: readonly string[]): string {
  const { node, missingKeys } = findNode(text, path.slice(0, -1))
  if (missingKeys.length > 0) return text
  if (node.kind !== 'object') throw new JsoncEditError(`${path.slice(0, -1).join('.') || 'the file'} is not an object`)
  const index = node.members.findIndex(({ key }) => key === path.at(-1))
  return index === -1 ? text : removeItem(text, node, index)
}

/** Returns the items to remove and the items to append. The longest prefix of `target` that the list contains in this order stays. */
function compareLists(
  currentItems: readonly unknown[],
  target: readonly unknown[],
): { removedIndexes: number[]; addedItems: unknown[] } {
  const removedIndexes: number[] = []
  let keptCount = 0
  for (const [index, item] of currentItems.entries()) {
    if (keptCount < target.length && isSame(item, target[keptCount])) keptCount++
    else removedIndexes.push(index)
  }
  return { removedIndexes, addedItems: target.slice(keptCount) }
}

/** Returns the node at the path, or the deepest object on the way and the keys that are missing below it. */
function findNode(text: string, path: readonly string[]): { node: JsoncNode; missingKeys: readonly string[] } {
  const { root, fault } = parseJsonc(text)
  if (fault !== undefined || root === undefined) throw new JsoncEditError(fault?.message ?? 'the file is empty')
  let node = root
  for (const [depth, key] of path.entries()) {
    if (node.kind !== 'object') {
      throw new JsoncEditError(`${path.slice(0, depth).join('.') || 'the file'} is not an object`)
    }
    const child = findChildAt(node, key)
    if (child === undefined) return { node, missingKeys: path.slice(depth) }
    node = child
  }
  return { node, missingKeys: [] }
}

function addMember(text: string, parent: JsoncNode, missingKeys: readonly string[], value: unknown): string {
  const [key = '', ...innerKeys] = missingKeys
  const nestedValue = innerKeys.reduceRight((content, name) => ({ [name]: content }), value)
  const indent = findIndentBefore(text, parent.start) + detectIndentUnit(text)
  return appendToContainer(
    text,
    parent as JsoncObject,
    `${JSON.stringify(key)}: ${formatValue(text, nestedValue, indent)}`,
  )
}

function findArrayAt(text: string, path: readonly string[]): JsoncArray {
  const { node, missingKeys } = findNode(text, path)
  if (missingKeys.length > 0 || node.kind !== 'array') throw new JsoncEditError(`${path.join('.')} is not a list`)
  return node
}

function formatValue(text: string, value: unknown, indent: string): string {
  return JSON.stringify(value, null, detectIndentUnit(text)).replaceAll('\n', lineBreakOf(text) + indent)
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Appends an item or member to a container, after any comments before the closing bracket. */
function appendToContainer(text: string, container: JsoncArray | JsoncObject, newText: string): string {
  const closingOffset = container.end - 1
  const lastChild = container.kind === 'array' ? container.items.at(-1) : container.members.at(-1)?.value
  const comma = lastChild === undefined ? undefined : findCommaAfter(text, lastChild.end)
  const isInline = lastChild !== undefined && !/[\r\n]/.test(text.slice(container.start, container.end))
  const contentEnd = text.slice(0, closingOffset).trimEnd().length
  const separator = lastChild === undefined || comma !== undefined ? '' : ','
  const head =
    lastChild === undefined
      ? text.slice(0, contentEnd)
      : text.slice(0, lastChild.end) + separator + text.slice(lastChild.end, contentEnd)
  if (isInline) return `${head} ${newText}${text.slice(contentEnd)}`
  const indent = chooseChildIndent(text, container)
  const lineBreak = lineBreakOf(text)
  const end = `${comma === undefined ? '' : ','}${lineBreak}${findIndentBefore(text, container.start)}`
  return `${head}${lineBreak}${indent}${newText}${end}${text.slice(closingOffset)}`
}

/** Returns the offset of the comma after an item, if there is one. */
function findCommaAfter(text: string, from: number): number | undefined {
  const nextOffset = skipTrivia(text, from)
  return nextOffset !== undefined && text[nextOffset] === ',' ? nextOffset : undefined
}

/** Returns the leading white space of the line that contains this offset. */
function findIndentBefore(text: string, offset: number): string {
  const lineStart = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1
  return /^[ \t]*/.exec(text.slice(lineStart, offset))?.[0] ?? ''
}

function lineBreakOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/** Returns the indentation of one level, taken from the first indented key. */
function detectIndentUnit(text: string): string {
  return /[\r\n]([ \t]+)"/.exec(text)?.[1] ?? '  '
}

function chooseChildIndent(text: string, container: JsoncArray | JsoncObject): string {
  const firstStart = container.kind === 'array' ? container.items[0]?.start : container.members[0]?.keyStart
  const hasOwnLine = firstStart !== undefined && /[\r\n]/.test(text.slice(container.start, firstStart))
  return hasOwnLine
    ? findIndentBefore(text, firstStart)
    : findIndentBefore(text, container.start) + detectIndentUnit(text)
}

/** Removes an item or member with its comma, and its line if nothing else is on it. */
function removeItem(text: string, container: JsoncArray | JsoncObject, index: number): string {
  const items = spansOf(container)
  const item = items[index]
  if (item === undefined) return text
  const previousItem = items[index - 1]
  const nextComma = findCommaAfter(text, item.end)
  const comma = nextComma ?? (previousItem === undefined ? undefined : findCommaAfter(text, previousItem.end))
  const textWithoutItem = cut(text, item.start, item.end)
  if (comma === undefined) return removeGap(textWithoutItem, item.start)
  if (comma < item.start) return cut(removeGap(textWithoutItem, item.start), comma, comma + 1)
  const shiftedComma = comma - (item.end - item.start)
  return removeGap(cut(textWithoutItem, shiftedComma, shiftedComma + 1), item.start)
}

function spansOf(container: JsoncArray | JsoncObject): readonly { readonly start: number; readonly end: number }[] {
  if (container.kind === 'array') return container.items
  return container.members.map(({ keyStart, value }) => ({ start: keyStart, end: value.end }))
}

function cut(text: string, from: number, to: number): string {
  return text.slice(0, from) + text.slice(to)
}

/** Removes the line if it is now blank; otherwise the white space before or after the removed item. */
function removeGap(text: string, at: number): string {
  const start = skipBlanksBackwards(text, at)
  const end = skipBlanks(text, at)
  const isAtLineStart = isLineBreak(text[start - 1])
  if (isAtLineStart && isLineBreak(text[end])) return cut(text, findBreakStart(text, start), end)
  if (isAtLineStart) return cut(text, at, end)
  return /[[{]/.test(text[start - 1] ?? '') ? cut(text, start, end) : cut(text, start, at)
}

function skipBlanksBackwards(text: string, from: number): number {
  let at = from
  while (isBlank(text[at - 1])) at--
  return at
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (isBlank(text[at])) at++
  return at
}

function findBreakStart(text: string, offsetAfterBreak: number): number {
  return text.slice(offsetAfterBreak - 2, offsetAfterBreak) === '\r\n' ? offsetAfterBreak - 2 : offsetAfterBreak - 1
}

function isBlank(char: string | undefined): boolean {
  return char === ' ' || char === '\t'
}

function isLineBreak(char: string | undefined): boolean {
  return char === '\n' || char === '\r'
}
