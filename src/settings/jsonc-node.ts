/** A piece of a settings file with its place in the text, so that edits touch nothing else. */
export type JsoncNode = JsoncObject | JsoncArray | JsoncScalar

interface Placed {
  readonly start: number
  /** The offset after the last character; where reading broke off, the end of what was read. */
  end: number
}

export interface JsoncObject extends Placed {
  readonly kind: 'object'
  readonly members: JsoncMember[]
}

interface JsoncMember {
  readonly key: string
  readonly keyStart: number
  readonly value: JsoncNode
}

export interface JsoncArray extends Placed {
  readonly kind: 'array'
  readonly items: JsoncNode[]
}

interface JsoncScalar extends Placed {
  readonly kind: 'scalar'
  readonly value: string | number | boolean | null
}

/** The plain value of a node. */
export function jsoncValue(node: JsoncNode): unknown {
  if (node.kind === 'scalar') return node.value
  if (node.kind === 'array') return node.items.map(jsoncValue)
  // fromEntries defines keys: assigning `__proto__` would change what the object inherits.
  return Object.fromEntries(node.members.map(({ key, value }) => [key, jsoncValue(value)]))
}

/** The node at a path, or the deepest one on the way to it. */
export function nearestNode(root: JsoncNode, path: readonly PropertyKey[]): JsoncNode {
  let node = root
  for (const step of path) {
    const next = childAt(node, step)
    if (next === undefined) return node
    node = next
  }
  return node
}

export function childAt(node: JsoncNode, step: PropertyKey): JsoncNode | undefined {
  if (node.kind === 'object') return node.members.findLast(({ key }) => key === step)?.value
  if (node.kind === 'array') return node.items[Number(step)]
  return undefined
}
