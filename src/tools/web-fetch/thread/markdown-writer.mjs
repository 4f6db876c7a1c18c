import { isElement, textOf, walk } from './page-nodes.mjs'

/**
 * @typedef {import('./parse-page.mjs').PageNode} PageNode
 * @typedef {import('./parse-page.mjs').Element} Element
 */

/** The text of elements that are nested deeper is added without Markdown. */
const MAX_DEPTH = 200
const SURROUNDING_ROLES = new Set(['navigation', 'contentinfo', 'complementary', 'search', 'banner'])

export class MarkdownWriter {
  /**
   * @param {import('./parse-page.mjs').PageParser} page
   * @param {string} base
   */
  constructor(page, base) {
    this.page = page
    this.base = base
    this.origin = new URL(base).origin
  }

  /**
   * Writes nodes as blocks, which are separated by empty lines.
   * @param {readonly PageNode[]} nodes
   * @param {number} depth
   * @returns {string}
   */
  writeBlocks(nodes, depth) {
    let blocks = ''
    let line = ''
    for (const node of nodes) {
      if (node.type === 'text') {
        line += foldSpaces(node.data)
        continue
      }
      if (!node.kind.isBlock) {
        line += this.writeInline(node, depth)
        continue
      }
      blocks = joinBlocks(blocks, normaliseSpace(line))
      line = ''
      if (!this.isLeftOut(node)) blocks = joinBlocks(blocks, this.writeBlock(node, depth + 1))
    }
    return joinBlocks(blocks, normaliseSpace(line))
  }

  /**
   * @param {Element} element
   * @param {number} depth
   * @returns {string}
   */
  writeBlock(element, depth) {
    if (depth > MAX_DEPTH) return normaliseSpace(textOf(element))
    const { name, children } = element
    switch (name) {
      case 'h1':
      case 'h2':
      case 'h3':
      case 'h4':
      case 'h5':
      case 'h6': {
        const text = joinLines(this.writeInlines(children, depth))
        return text === '' ? '' : `${'#'.repeat(Number(name[1]))} ${text}`
      }
      case 'hr':
        return '---'
      case 'pre':
        return this.writeCode(element)
      case 'blockquote':
        return prefixLines(this.writeBlocks(children, depth), '> ')
      case 'ul':
      case 'ol':
        return this.writeList(element, depth)
      case 'dl':
        return this.writeDefinitions(element, depth)
      case 'table':
        return this.writeTable(element, depth)
      case 'summary':
      case 'legend':
        return `**${joinLines(this.writeInlines(children, depth))}**`
      default:
        return this.writeBlocks(children, depth)
    }
  }

  /** @param {Element} element */
  writeCode(element) {
    const text = textOf(element).replace(/^\n/, '').trimEnd()
    const inner = element.children.find((child) => isElement(child) && child.name === 'code')
    const classes = `${this.page.attributeOf(element, 'class') ?? ''} ${this.page.attributeOf(isElement(inner) ? inner : undefined, 'class') ?? ''}`
    const language = /\b(?:language|lang|highlight-source|brush:)-?\s*([\w+#-]+)/.exec(classes)?.[1] ?? ''
    // The fence is longer than any fence inside.
    const longestFence = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([fence]) => fence.length))
    const fence = '`'.repeat(longestFence + 1)
    return `${fence}${language}\n${text}\n${fence}`
  }

  /**
   * @param {Element} element
   * @param {number} depth
   */
  writeList(element, depth) {
    let number = Number.parseInt(this.page.attributeOf(element, 'start') ?? '1', 10) || 1
    const items = []
    for (const item of element.children) {
      if (!isElement(item) || this.isLeftOut(item)) continue
      const text = this.writeBlocks(item.name === 'li' ? item.children : [item], depth + 1).replaceAll('\n\n', '\n')
      if (text === '') continue
      const mark = element.name === 'ol' ? `${number++}. ` : '- '
      items.push(mark + text.replaceAll('\n', `\n${' '.repeat(mark.length)}`))
    }
    return items.join('\n')
  }

  /**
   * @param {Element} element
   * @param {number} depth
   */
  writeDefinitions(element, depth) {
    const lines = []
    for (const child of element.children) {
      if (!isElement(child) || this.isLeftOut(child)) continue
      if (child.name === 'dt') lines.push(`**${joinLines(this.writeInlines(child.children, depth))}**`)
      else lines.push(prefixLines(this.writeBlocks(child.name === 'dd' ? child.children : [child], depth + 1), '  '))
    }
    return lines.filter((line) => line.trim() !== '' && line !== '****').join('\n')
  }

  /**
   * Writes rows as a Markdown table. A table with one column, or with blocks such as lists in its cells, is treated as layout.
   * @param {Element} table
   * @param {number} depth
   */
  writeTable(table, depth) {
    const rows = rowsOf(table)
    const columns = Math.max(0, ...rows.map((cells) => cells.length))
    const isLayout = columns < 2 || rows.some((cells) => cells.some(hasInnerTable))
    if (isLayout)
      return rows
        .map((cells) =>
          this.writeBlocks(
            cells.flatMap(({ children }) => children),
            depth,
          ),
        )
        .join('\n\n')
    const lines = rows.map((cells) => {
      const texts = cells.map((cell) => joinLines(this.writeBlocks(cell.children, depth + 1)).replaceAll('|', '\\|'))
      return `| ${texts.concat(Array(columns - texts.length).fill('')).join(' | ')} |`
    })
    return [lines[0], `|${' --- |'.repeat(columns)}`, ...lines.slice(1)].join('\n')
  }

  /**
   * Whether an element is invisible or surrounds the content.
   * @param {Element} element
   */
  isLeftOut(element) {
    if (element.kind.isLeftOut) return true
    if (!element.hasTraits) return false
    const attributeOf = (/** @type {string} */ name) => this.page.attributeOf(element, name)
    if (attributeOf('hidden') !== undefined || attributeOf('aria-hidden') === 'true') return true
    const style = attributeOf('style')
    if (style !== undefined && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style)) return true
    return SURROUNDING_ROLES.has(attributeOf('role') ?? '')
  }

  /**
   * @param {readonly PageNode[]} nodes
   * @param {number} depth
   */
  writeInlines(nodes, depth) {
    let text = ''
    for (const node of nodes) text += node.type === 'text' ? foldSpaces(node.data) : this.writeInline(node, depth)
    return text
  }

  /**
   * @param {Element} node
   * @param {number} depth
   * @returns {string}
   */
  writeInline(node, depth) {
    if (this.isLeftOut(node)) return ''
    if (depth > MAX_DEPTH) return normaliseSpace(textOf(node))
    const { children } = node
    switch (node.name) {
      case 'br':
        return '\n'
      case 'a':
        return this.writeLink(this.writeInlines(children, depth + 1), this.page.attributeOf(node, 'href'))
      case 'img':
        return this.writeImage(node)
      case 'b':
      case 'strong':
        return addMarks(this.writeInlines(children, depth + 1), '**')
      case 'i':
      case 'em':
        return addMarks(this.writeInlines(children, depth + 1), '*')
      case 's':
      case 'del':
        return addMarks(this.writeInlines(children, depth + 1), '~~')
      case 'code':
      case 'kbd':
      case 'samp':
      case 'tt':
        return addMarks(foldSpaces(textOf(node)), '`')
      case 'iframe':
      case 'video':
      case 'audio':
        return this.writeLink(
          this.writeInlines(children, depth + 1).trim() || node.name,
          this.page.attributeOf(node, 'src'),
        )
      default:
        // A block inside a line, such as a heading inside a link.
        return node.kind.isBlock ? `\n${this.writeBlock(node, depth + 1)}\n` : this.writeInlines(children, depth + 1)
    }
  }

  /**
   * @param {string} text
   * @param {string | undefined} href
   */
  writeLink(text, href) {
    const label = joinLines(text)
    const url = this.resolveUrl(href)
    // Links inside the page and links that run scripts are useless in the text.
    if (label === '' || url === undefined || href?.startsWith('#')) return text
    return `${/^\s/.test(text) ? ' ' : ''}[${label}](${url})${/\s$/.test(text) ? ' ' : ''}`
  }

  /** @param {Element} image */
  writeImage(image) {
    const alt = joinLines(this.page.attributeOf(image, 'alt') ?? '')
    const url = this.resolveUrl(this.page.attributeOf(image, 'src'))
    return alt === '' || url === undefined ? alt : `![${alt}](${url})`
  }

  /**
   * Returns the absolute http or https URL; undefined for anything else, such as `javascript:` and `data:`.
   * @param {string | undefined} href
   */
  resolveUrl(href) {
    if (href === undefined) return undefined
    if (PLAIN_PATH.test(href)) return this.origin + href
    return PLAIN_URL.test(href) ? href : resolveUrl(href, this.base)
  }
}

/** Paths and URLs that parsing does not change, and so need no parsing. */
const PLAIN_PATH = /^\/(?!\/)[\w/-]*$/
const PLAIN_URL = /^https?:\/\/(?:[a-z0-9]+\.)+[a-z]{2,}\/[\w/?&=-]*$/

/**
 * Returns the absolute http or https URL; undefined for anything else, such as `javascript:` and `data:`.
 * @param {string | undefined} href
 * @param {string} base
 */
export function resolveUrl(href, base) {
  const url = href === undefined ? undefined : parseUrl(href, base)
  return url?.protocol === 'http:' || url?.protocol === 'https:'
    ? url.href.replace(/[()\s]/g, encodeURIComponent)
    : undefined
}

/**
 * @param {string} href
 * @param {string} base
 */
function parseUrl(href, base) {
  try {
    return new URL(href, base)
  } catch {
    // The target is not a URL, so only the text of the link is kept.
    return undefined
  }
}

/**
 * Puts Markdown marks around a text. White space at its ends stays outside the marks.
 * @param {string} text
 * @param {string} sign
 */
function addMarks(text, sign) {
  const inner = text.trim()
  if (inner === '' || inner.includes('\n')) return text
  const start = text.indexOf(inner)
  return `${text.slice(0, start)}${sign}${inner}${sign}${text.slice(start + inner.length)}`
}

/**
 * @param {string} blocks
 * @param {string} block
 */
function joinBlocks(blocks, block) {
  if (block === '' || block.trim() === '') return blocks
  return blocks === '' ? block : `${blocks}\n\n${block}`
}

/** @param {string} text */
export function joinLines(text) {
  return foldSpaces(text).trim()
}

/**
 * Replaces each run of white space with one space. Most texts have none to replace, and a test is faster.
 * @param {string} text
 */
function foldSpaces(text) {
  return /[^\S ]|\s{2}/.test(text) ? text.replace(/\s+/g, ' ') : text
}

/**
 * Removes white space at the ends of lines and doubled spaces.
 * @param {string} text
 */
function normaliseSpace(text) {
  if (!/[\n\t\r\f]| {2}/.test(text)) return text.trim()
  const lines = text.split('\n').map((line) => line.replace(/[ \t\r\f]+/g, ' ').trim())
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/**
 * @param {string} text
 * @param {string} prefix
 */
function prefixLines(text, prefix) {
  return text === '' ? '' : prefix + text.replaceAll('\n', `\n${prefix}`)
}

/**
 * Returns the cells of each row, without those of nested tables.
 * @param {Element} table
 */
function rowsOf(table) {
  /** @type {Element[][]} */
  const rows = []
  walk(table, (node) => {
    if (!isElement(node) || node.name === 'table') return isElement(node) ? 'skip' : false
    if (node.name !== 'tr') return false
    rows.push(
      node.children.filter((cell) => isElement(cell) && (cell.name === 'td' || cell.name === 'th')).filter(isElement),
    )
    return 'skip'
  })
  return rows.filter((cells) => cells.length > 0)
}

const LAYOUT_ELEMENTS = new Set(['table', 'pre', 'ul', 'ol'])

/** @param {Element} cell */
function hasInnerTable(cell) {
  let isFound = false
  walk(cell, (node) => {
    isFound ||= node.type === 'tag' && LAYOUT_ELEMENTS.has(node.name)
    return isFound
  })
  return isFound
}
