/**
 * What the parser and the writer know about an element by its name.
 * @typedef {object} ElementKind
 * @property {boolean} isBlock
 * @property {boolean} isInvisible whether it has no text for a reader
 * @property {boolean} isLeftOut whether it is invisible or surrounds the content of a page
 * @property {boolean} isVoid whether it has no content and no end tag
 * @property {RegExp | undefined} rawEnd matches the end of its content, if that is text without elements
 * @property {ReadonlySet<string> | undefined} closes the open elements that its start tag ends
 * @property {boolean} isLandmark whether it decides which part of the page is read
 */

const INVISIBLE = [
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'canvas',
  'head',
  'object',
  'embed',
  'select',
].concat(['datalist', 'input', 'textarea', 'button', 'dialog', 'map'])
const SURROUNDINGS = ['nav', 'footer', 'aside']
const BLOCKS = [
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
].concat(
  ['fieldset', 'figcaption', 'figure', 'footer', 'form', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'hr', 'html'],
  ['legend', 'li', 'main', 'nav', 'ol', 'p', 'pre', 'section', 'summary', 'table', 'ul'],
)
const VOID = [
  'area',
  'base',
  'basefont',
  'br',
  'col',
  'command',
  'embed',
  'frame',
  'hr',
  'img',
  'input',
  'isindex',
].concat(['keygen', 'link', 'meta', 'param', 'source', 'track', 'wbr'])
const RAW = ['script', 'style', 'title', 'textarea', 'xmp']
const LANDMARKS = ['title', 'base', 'body', 'main', 'article']
const FORM_PARTS = ['input', 'option', 'optgroup', 'select', 'button', 'datalist', 'textarea']
/** @type {readonly (readonly [names: readonly string[], closed: readonly string[]])[]} */
const CLOSED_BY = [
  [['tr'], ['tr', 'th', 'td']],
  [['th'], ['th']],
  [['td'], ['thead', 'th', 'td']],
  [
    ['tbody', 'tfoot'],
    ['thead', 'tbody'],
  ],
  [['body'], ['head', 'link', 'script']],
  [['li'], ['li']],
  [
    ['dd', 'dt'],
    ['dd', 'dt'],
  ],
  [
    ['rt', 'rp'],
    ['rt', 'rp'],
  ],
  [['option'], ['option']],
  [['optgroup'], ['optgroup', 'option']],
  [['select', 'input', 'output', 'button', 'datalist', 'textarea'], FORM_PARTS],
  [
    [
      'p',
      'h1',
      'h2',
      'h3',
      'h4',
      'h5',
      'h6',
      'address',
      'article',
      'aside',
      'blockquote',
      'details',
      'div',
      'dl',
    ].concat(
      ['fieldset', 'figcaption', 'figure', 'footer', 'form', 'header', 'hr', 'main', 'nav', 'ol', 'pre', 'section'],
      ['table', 'ul'],
    ),
    ['p'],
  ],
]

/** @type {ElementKind} */
const INLINE = {
  isBlock: false,
  isInvisible: false,
  isLeftOut: false,
  isVoid: false,
  rawEnd: undefined,
  closes: undefined,
  isLandmark: false,
}
const KINDS = createKinds()

/** @param {string} name */
export function kindOf(name) {
  return KINDS.get(name) ?? INLINE
}

function createKinds() {
  /** @type {Map<string, ElementKind>} */
  const kinds = new Map()
  const add = (/** @type {readonly string[]} */ names, /** @type {Partial<ElementKind>} */ facts) => {
    for (const name of names) kinds.set(name, { ...(kinds.get(name) ?? INLINE), ...facts })
  }
  add(INVISIBLE, { isInvisible: true, isLeftOut: true })
  add(SURROUNDINGS, { isLeftOut: true })
  add(BLOCKS, { isBlock: true })
  add(LANDMARKS, { isLandmark: true })
  add(VOID, { isVoid: true })
  for (const name of RAW) add([name], { rawEnd: new RegExp(`</${name}[\\s/>]`, 'gi') })
  for (const [names, closed] of CLOSED_BY) add(names, { closes: new Set(closed) })
  return kinds
}
