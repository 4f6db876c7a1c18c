/**
 * @typedef {import('./parse-page.mjs').PageNode} PageNode
 * @typedef {import('./parse-page.mjs').Element} Element
 */

/**
 * @param {PageNode | undefined} node
 * @returns {node is Element}
 */
export function isElement(node) {
  return node?.type === 'tag'
}

/**
 * Calls `visit` for every node until it returns true. Not recursive, because a page can nest elements very deeply.
 * @param {Element} root
 * @param {(node: PageNode) => boolean | 'skip'} visit
 */
export function walk(root, visit) {
  /** @type {PageNode[]} */
  const pending = [...root.children].reverse()
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const answer = visit(node)
    if (answer === true) return
    if (answer === false && node.type === 'tag')
      for (let at = node.children.length - 1; at >= 0; at--) pending.push(/** @type {PageNode} */ (node.children[at]))
  }
}

/** @param {Element} root */
export function textOf(root) {
  const [child] = root.children
  if (root.children.length === 1 && child?.type === 'text') return child.data
  /** @type {string[]} */
  const parts = []
  walk(root, (node) => {
    if (node.type === 'text') parts.push(node.data)
    else if (node.name === 'br') parts.push('\n')
    return node.type === 'tag' && node.kind.isInvisible ? 'skip' : false
  })
  return parts.join('')
}
