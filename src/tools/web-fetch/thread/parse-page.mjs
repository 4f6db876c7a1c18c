import { kindOf } from './element-kinds.mjs'

/**
 * @typedef {{ readonly type: 'text', data: string }} Text
 * @typedef {object} Element
 * @property {'tag'} type
 * @property {string} name
 * @property {import('./element-kinds.mjs').ElementKind} kind
 * @property {string | ReadonlyMap<string, string>} attributes the source, until they are read
 * @property {boolean} hasTraits whether attributes may hide it or give it a role
 * @property {PageNode[]} children
 * @property {boolean} isForeign whether it is part of SVG or MathML
 * @property {number} textLength the approximate length of its visible text, for comparisons
 * @typedef {Text | Element} PageNode
 * @typedef {import('./decode-entities.mjs').EntityDecoder} EntityDecoder
 */

const SLASH = 0x2f
const EXCLAMATION_MARK = 0x21
const QUESTION_MARK = 0x3f
/** How many open elements a stray end tag is compared with. Browsers nest no deeper either. */
const MAX_CLOSED_DEPTH = 1_000

/** Attributes without `>` in their values: by far the most. Each part of it can match in one way only. */
const SIMPLE_ATTRIBUTES = /^(?:\s+[^\s"'<>/=]+(?:=(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*\s*\/?$/
const TAG_NAME = /[a-z][^\s/>]*/iy
const SIMPLE_END_TAG = /[a-z][a-z0-9-]*>/y
const END_TAG_NAME = /\s*([a-z][^\s>]*)/iy
const ATTRIBUTE_NAME = /[\s/]*([^\s/>][^\s/>=]*)?/y
const EQUALS_SIGN = /\s*=\s*/y
const UNQUOTED_VALUE = /[^\s>]*/y
/** Elements inside SVG and MathML that contain HTML. */
const HTML_INSIDE = new Set(['mi', 'mo', 'mn', 'ms', 'mtext', 'annotation-xml', 'foreignobject', 'desc', 'title'])

/**
 * Parses a page into plain objects. Most of the time of a conversion is the first run of code in a new thread, which the
 * engine has not compiled yet. So this parser lets the engine search for the next tag instead of looking at each character,
 * and reads attributes only when they are needed. In the handling of broken pages it follows `htmlparser2`, which takes three
 * times as long. The time is linear in the length of the page.
 */
export class PageParser {
  /**
   * @param {string} html
   * @param {EntityDecoder} decoder
   */
  constructor(html, decoder) {
    this.html = html
    this.decoder = decoder
    this.document = createElement('', '')
    this.parent = this.document
    this.ancestors = [this.document]
    this.invisibleDepth = 0
    this.textLength = 0
    /** @type {Element | undefined} */
    this.title = undefined
    /** @type {Element | undefined} */
    this.base = undefined
    /** @type {Element | undefined} */
    this.body = undefined
    /** @type {Element | undefined} */
    this.main = undefined
    /** Articles that are not part of another one. @type {Element[]} */
    this.articles = []
    this.isBodyOpen = false
    /** @type {Element | undefined} */
    this.openArticle = undefined
  }

  parse() {
    const { html } = this
    let textStart = 0
    let at = html.indexOf('<')
    while (at !== -1) {
      const end = this.readMarkup(at, textStart)
      if (end > at) textStart = end
      at = html.indexOf('<', end > at ? end : at + 1)
    }
    this.addText(textStart, html.length)
    while (this.ancestors.length > 1) this.closeParent()
    this.document.textLength = this.textLength
    return this
  }

  /**
   * Reads a tag or comment and returns its end, which is the end of the page if the markup never ends. Returns `at` if `<`
   * is part of a text.
   * @param {number} at
   * @param {number} textStart
   */
  readMarkup(at, textStart) {
    const { html } = this
    const code = html.charCodeAt(at + 1)
    if (code === SLASH) {
      if (textStart < at) this.addText(textStart, at)
      return this.readEndTag(at + 2)
    }
    TAG_NAME.lastIndex = at + 1
    if (TAG_NAME.test(html)) {
      const nameEnd = TAG_NAME.lastIndex
      if (textStart < at) this.addText(textStart, at)
      return this.readStartTag(html.slice(at + 1, nameEnd).toLowerCase(), nameEnd)
    }
    if (code !== EXCLAMATION_MARK && code !== QUESTION_MARK) return at
    this.addText(textStart, at)
    if (html.startsWith('<!--', at)) return this.findAfter('-->', at + 2)
    return html.startsWith('<![CDATA[', at) ? this.findAfter(']]>', at) : this.findAfter('>', at)
  }

  /** @param {number} at */
  readEndTag(at) {
    SIMPLE_END_TAG.lastIndex = at
    if (SIMPLE_END_TAG.test(this.html)) {
      const end = SIMPLE_END_TAG.lastIndex
      this.closeElement(this.html.slice(at, end - 1))
      return end
    }
    END_TAG_NAME.lastIndex = at
    const name = END_TAG_NAME.exec(this.html)?.[1]
    if (name !== undefined) this.closeElement(name.toLowerCase())
    return this.findAfter('>', at)
  }

  /**
   * @param {string} text
   * @param {number} from
   */
  findAfter(text, from) {
    const at = this.html.indexOf(text, from)
    return at === -1 ? this.html.length : at + text.length
  }

  /**
   * @param {string} name
   * @param {number} nameEnd
   */
  readStartTag(name, nameEnd) {
    const { html } = this
    const end = findTagEnd(html, nameEnd)
    // A tag that never ends is not an element.
    if (end === -1) return html.length
    const rawEnd = this.openElement(createElement(name, html.slice(nameEnd, end)))?.kind.rawEnd
    if (rawEnd === undefined) return end + 1
    rawEnd.lastIndex = end + 1
    const textEnd = rawEnd.exec(html)?.index ?? html.length
    this.addText(end + 1, textEnd, name !== 'title')
    return textEnd
  }

  /**
   * Returns the element if it is open now; undefined if it ends with its tag.
   * @param {Element} element
   */
  openElement(element) {
    const { name, kind } = element
    if (kind.closes !== undefined) while (kind.closes.has(this.parent.name)) this.closeParent()
    if (kind.isLandmark || element.hasTraits) this.notice(element)
    const { parent } = this
    parent.children.push(element)
    if (kind.isVoid) return undefined
    if (parent.isForeign || name === 'svg' || name === 'math') {
      if (isSelfClosing(String(element.attributes))) return undefined
      element.isForeign = !HTML_INSIDE.has(name)
    }
    element.textLength = this.textLength
    if (kind.isInvisible) this.invisibleDepth++
    this.ancestors.push(element)
    this.parent = element
    return element
  }

  /** @param {string} name */
  closeElement(name) {
    const { ancestors } = this
    const top = ancestors.length - 1
    const limit = Math.max(0, top - MAX_CLOSED_DEPTH)
    for (let at = top; at > limit; at--) {
      if (ancestors[at]?.name !== name) continue
      while (ancestors.length > at) this.closeParent()
      return
    }
    if (name === 'br') this.openElement(createElement(name, ''))
    else if (name === 'p') {
      this.openElement(createElement(name, ''))
      this.closeParent()
    }
  }

  closeParent() {
    const element = /** @type {Element} */ (this.ancestors.pop())
    if (element.kind.isInvisible) this.invisibleDepth--
    element.textLength = this.textLength - element.textLength
    if (element === this.body) this.isBodyOpen = false
    else if (element === this.openArticle) this.openArticle = undefined
    this.parent = /** @type {Element} */ (this.ancestors[this.ancestors.length - 1])
  }

  /**
   * @param {number} start
   * @param {number} end
   */
  addText(start, end, isRaw = false) {
    if (start === end) return
    const source = this.html.slice(start, end)
    const data = isRaw || !source.includes('&') ? source : this.decoder.decodeText(source)
    const { children } = this.parent
    const last = children.length === 0 ? undefined : children[children.length - 1]
    if (last?.type === 'text') last.data += data
    else children.push({ type: 'text', data })
    if (this.invisibleDepth === 0) this.textLength += data.trim().length
  }

  /**
   * Notes the elements that decide which part of the page is read. Main elements and articles outside the body do not count.
   * @param {Element} element
   */
  notice(element) {
    const { name } = element
    if (name === 'title') this.title ??= element
    else if (name === 'base') this.base ??= element
    else if (name === 'body' && this.body === undefined) {
      this.body = element
      this.isBodyOpen = true
      this.main = undefined
      this.articles = []
    } else if (this.body === undefined || this.isBodyOpen) {
      if (name === 'main' || this.attributeOf(element, 'role') === 'main') this.main ??= element
      else if (name === 'article' && this.openArticle === undefined) {
        this.articles.push(element)
        this.openArticle = element
      }
    }
  }

  /**
   * @param {Element | undefined} element
   * @param {string} name
   */
  attributeOf(element, name) {
    if (element === undefined || element.attributes === '') return undefined
    if (typeof element.attributes === 'string') {
      const attributes = new Map()
      scanAttributes(element.attributes, 0, attributes)
      element.attributes = attributes
    }
    const value = element.attributes.get(name)
    return value?.includes('&') === true ? this.decoder.decodeAttribute(value) : value
  }
}

/**
 * @param {string} name
 * @param {string} attributes
 * @returns {Element}
 */
function createElement(name, attributes) {
  const hasTraits = attributes !== '' && /hidden|style|role/i.test(attributes)
  return { type: 'tag', name, kind: kindOf(name), attributes, hasTraits, children: [], isForeign: false, textLength: 0 }
}

/**
 * Returns the index of the `>` that ends a start tag; -1 if there is none.
 * @param {string} html
 * @param {number} from
 */
function findTagEnd(html, from) {
  const end = html.indexOf('>', from)
  if (end <= from) return end
  return SIMPLE_ATTRIBUTES.test(html.slice(from, end)) ? end : scanAttributes(html, from, undefined)
}

/**
 * Reads attributes up to `>` and returns its index; -1 at the end of the text. If a name occurs twice, the first one counts.
 * @param {string} text
 * @param {number} from
 * @param {Map<string, string> | undefined} attributes
 */
function scanAttributes(text, from, attributes) {
  for (let at = from; ; ) {
    ATTRIBUTE_NAME.lastIndex = at
    const name = ATTRIBUTE_NAME.exec(text)?.[1]
    at = ATTRIBUTE_NAME.lastIndex
    if (name === undefined) return text[at] === '>' ? at : -1
    EQUALS_SIGN.lastIndex = at
    const value = EQUALS_SIGN.test(text) ? findValue(text, EQUALS_SIGN.lastIndex) : { start: at, end: at, next: at }
    if (value.end === -1) return -1
    at = value.next
    const key = attributes === undefined ? '' : name.toLowerCase()
    if (attributes?.has(key) === false) attributes.set(key, text.slice(value.start, value.end))
  }
}

/**
 * The extent of an attribute's value; its end is -1 if a quote is not closed.
 * @param {string} text
 * @param {number} at
 */
function findValue(text, at) {
  const quote = text[at]
  if (quote === '"' || quote === "'") {
    const end = text.indexOf(quote, at + 1)
    return { start: at + 1, end, next: end + 1 }
  }
  UNQUOTED_VALUE.lastIndex = at
  UNQUOTED_VALUE.test(text)
  const end = UNQUOTED_VALUE.lastIndex
  return { start: at, end, next: end }
}

/**
 * Whether the source of attributes ends with a slash that is not part of a value.
 * @param {string} attributes
 */
function isSelfClosing(attributes) {
  if (!attributes.endsWith('/')) return false
  const equalsSign = attributes.lastIndexOf('=')
  return equalsSign === -1 || /[\s"']/.test(attributes.slice(equalsSign))
}
