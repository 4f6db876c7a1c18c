import { appendToContainer, indentBefore, indentUnit, lineBreakOf } from './append-to-container.js'
import { childAt, type JsoncArray, type JsoncNode, type JsoncObject, jsoncValue } from './jsonc-node.js'
import { parseJsonc } from './parse-jsonc.js'
import { removeItem } from './remove-item.js'

/** The text cannot take the edit: it is broken, or something else stands where the value belongs. */
export class JsoncEditError extends Error {
  override readonly name = 'JsoncEditError'
}

/** Each edit reads the text again; a list that changes more than this is written anew, without its comments. */
const MOST_SINGLE_EDITS = 200

/** Sets the value at a path of keys and leaves every other character of the text as it is. */
export function setJsoncValue(text: string, path: readonly string[], value: unknown): string {
  const parent = findParent(text, path)
  if (parent.missing.length > 0) return addMember(text, parent.node, parent.missing, value)
  if (isSame(jsoncValue(parent.node), value)) return text
  const written = print(text, value, indentBefore(text, parent.node.start))
  return text.slice(0, parent.node.start) + written + text.slice(parent.node.end)
}

/** Makes the list at a path equal to `wanted`. Items that stay keep their place and the comments around them. */
export function setJsoncList(text: string, path: readonly string[], wanted: readonly unknown[]): string {
  const { node, missing } = findParent(text, path)
  if (missing.length > 0) return wanted.length === 0 ? text : addMember(text, node, missing, wanted)
  if (node.kind !== 'array') throw new JsoncEditError(`${path.join('.')} is not a list`)
  const { dropped, added } = compare(node.items.map(jsoncValue), wanted)
  if (dropped.length + added.length > MOST_SINGLE_EDITS) return setJsoncValue(text, path, wanted)
  let edited = text
  for (const index of dropped.reverse()) edited = removeItem(edited, arrayAt(edited, path), index)
  for (const item of added) edited = appendToContainer(edited, arrayAt(edited, path), print(text, item, ''))
  return edited
}

/** Takes the member at a path out, and leaves every other character as it is. */
export function removeJsoncMember(text: string, path: readonly string[]): string {
  const { node, missing } = findParent(text, path.slice(0, -1))
  if (missing.length > 0) return text
  if (node.kind !== 'object') throw new JsoncEditError(`${path.slice(0, -1).join('.') || 'the file'} is not an object`)
  const index = node.members.findIndex(({ key }) => key === path.at(-1))
  return index === -1 ? text : removeItem(text, node, index)
}

/** Which items go and which are appended: what stays is the longest start of `wanted` found in order. */
function compare(present: readonly unknown[], wanted: readonly unknown[]): { dropped: number[]; added: unknown[] } {
  const dropped: number[] = []
  let kept = 0
  for (const [index, item] of present.entries()) {
    if (kept < wanted.length && isSame(item, wanted[kept])) kept++
    else dropped.push(index)
  }
  return { dropped, added: wanted.slice(kept) }
}

/** The node at the path, or the object that lacks the rest of it. */
function findParent(text: string, path: readonly string[]): { node: JsoncNode; missing: readonly string[] } {
  const { root, fault } = parseJsonc(text)
  if (fault !== undefined || root === undefined) throw new JsoncEditError(`the file ${fault?.message ?? 'is empty'}`)
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
