/**
 * @typedef {ReturnType<typeof import('htmlparser2').parseDocument>} Document
 * @typedef {Document['children'][number]} PageNode
 * @typedef {Extract<PageNode, { attribs: object }>} Element
 * @typedef {Document | Element} ParentNode
 */

/** Elements without text for a reader. */
const INVISIBLE = new Set(
  ['script', 'style', 'noscript', 'template', 'svg', 'canvas', 'head', 'object', 'embed', 'select', 'datalist'].concat([
    'input',
    'textarea',
    'button',
    'dialog',
    'map',
  ]),
)
/** Elements around the content of a page. */
const SURROUNDINGS = new Set(['nav', 'footer', 'aside'])
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
  return node?.type === 'tag' || node?.type === 'script' || node?.type === 'style'
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
  if (INVISIBLE.has(name) || SURROUNDINGS.has(name)) return true
  if ('hidden' in attribs || attribs['aria-hidden'] === 'true') return true
  if (/display\s*:\s*none|visibility\s*:\s*hidden/i.test(attribs.style ?? '')) return true
  return SURROUNDING_ROLES.has(attribs.role ?? '')
}

/**
 * @param {Element | undefined} element
 * @param {string} name
 */
export function attributeOf(element, name) {
  return element?.attribs[name]
}

/**
 * Calls `visit` for every node, without recursion, because a page can nest elements very deeply. Ends if it returns true.
 * @param {ParentNode} root
 * @param {(node: PageNode) => boolean | 'skip'} visit
 */
export function walk(root, visit) {
  /** @type {PageNode[]} */
  const pending = [...root.children].reverse()
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const answer = visit(node)
    if (answer === true) return
    if (answer === false && 'children' in node)
      for (let at = node.children.length - 1; at >= 0; at--) pending.push(/** @type {PageNode} */ (node.children[at]))
  }
}

/**
 * @param {ParentNode} root
 * @param {(name: string, element: Element) => boolean} isWanted
 * @returns {Element | undefined}
 */
export function findElement(root, isWanted) {
  /** @type {Element | undefined} */
  let found
  walk(root, (node) => {
    if (isElement(node) && isWanted(node.name, node)) found = node
    return found !== undefined
  })
  return found
}

/** @param {ParentNode} root */
export function textOf(root) {
  /** @type {string[]} */
  const parts = []
  walk(root, (node) => {
    if (node.type === 'text') parts.push(node.data)
    else if (isElement(node) && node.name === 'br') parts.push('\n')
    return isElement(node) && INVISIBLE.has(node.name) ? 'skip' : false
  })
  return parts.join('')
}
