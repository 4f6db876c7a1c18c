import { Parser } from 'htmlparser2'

/**
 * @typedef {{ readonly type: 'text', data: string }} Text
 * @typedef {{ readonly type: 'tag', readonly name: string, readonly attribs: Record<string, string>, readonly children: PageNode[] }} Element
 * @typedef {Text | Element} PageNode
 */

/**
 * Parses a page into plain objects, which take less time and memory than a DOM. The document is an element without a name.
 * @param {string} html
 * @returns {Element}
 */
export function parsePage(html) {
  /** @type {Element} */
  const document = { type: 'tag', name: '', attribs: {}, children: [] }
  const ancestors = [document]
  let parent = document
  const parser = new Parser({
    onopentag(name, attribs) {
      /** @type {Element} */
      const element = { type: 'tag', name, attribs, children: [] }
      parent.children.push(element)
      ancestors.push(element)
      parent = element
    },
    ontext(data) {
      const last = parent.children.at(-1)
      if (last?.type === 'text') last.data += data
      else parent.children.push({ type: 'text', data })
    },
    onclosetag() {
      ancestors.pop()
      parent = ancestors.at(-1) ?? document
    },
  })
  parser.end(html)
  return document
}

/** Elements whose text is not visible. */
const INVISIBLE_ELEMENTS = new Set(
  ['script', 'style', 'noscript', 'template', 'svg', 'canvas', 'head', 'object', 'embed', 'select', 'datalist'].concat([
    'input',
    'textarea',
    'button',
    'dialog',
    'map',
  ]),
)
/** Elements that surround the content of a page. */
const SURROUNDING_ELEMENTS = new Set(['nav', 'footer', 'aside'])
const SURROUNDING_ROLES = new Set(['navigation', 'contentinfo', 'complementary', 'search', 'banner'])
const BLOCKS = new Set(
  [
    'address',
    'article',
    'aside',
    'blockquote',
    'body',
    'center',
    'dd',
    'details',
    'div',
    'dl',
    'dt',
    'fieldset',
  ].concat(
    ['figcaption', 'figure', 'footer', 'form', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'hr', 'html', 'legend'],
    ['li', 'main', 'nav', 'ol', 'p', 'pre', 'section', 'summary', 'table', 'ul'],
  ),
)

/**
 * @param {PageNode | undefined} node
 * @returns {node is Element}
 */
export function isElement(node) {
  return node?.type === 'tag'
}

/**
 * @param {PageNode} node
 * @returns {node is Element}
 */
export function isBlock(node) {
  return isElement(node) && BLOCKS.has(node.name)
}

/**
 * Whether an element is invisible or surrounds the content.
 * @param {Element} element
 */
export function isLeftOut(element) {
  const { name, attribs } = element
  if (INVISIBLE_ELEMENTS.has(name) || SURROUNDING_ELEMENTS.has(name)) return true
  if ('hidden' in attribs || attribs['aria-hidden'] === 'true') return true
  const { style, role } = attribs
  if (style !== undefined && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style)) return true
  return role !== undefined && SURROUNDING_ROLES.has(role)
}

/**
 * @param {Element | undefined} element
 * @param {string} name
 */
export function attributeOf(element, name) {
  return element?.attribs[name]
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

/**
 * @param {Element} root
 * @param {(name: string, element: Element) => boolean} isWanted
 * @returns {Element | undefined}
 */
export function findElement(root, isWanted) {
  /** @type {Element | undefined} */
  let foundElement
  walk(root, (node) => {
    if (isElement(node) && isWanted(node.name, node)) foundElement = node
    return foundElement !== undefined
  })
  return foundElement
}

/** @param {Element} root */
export function textOf(root) {
  /** @type {string[]} */
  const parts = []
  walk(root, (node) => {
    if (node.type === 'text') parts.push(node.data)
    else if (isElement(node) && node.name === 'br') parts.push('\n')
    return isElement(node) && INVISIBLE_ELEMENTS.has(node.name) ? 'skip' : false
  })
  return parts.join('')
}

/**
 * Returns the approximate length of the visible text, for comparisons.
 * @param {Element} root
 */
export function countText(root) {
  let count = 0
  walk(root, (node) => {
    if (node.type === 'text') count += node.data.trim().length
    return isElement(node) && INVISIBLE_ELEMENTS.has(node.name) ? 'skip' : false
  })
  return count
}
