import { parentPort, workerData } from 'node:worker_threads'
import { joinLines, MarkdownWriter, resolveUrl } from './markdown-writer.mjs'
import { attributeOf, countText, findElement, isElement, parsePage, walk } from './page-nodes.mjs'

/**
 * Runs in a worker thread and converts the bytes of an HTML page to Markdown. The thread has limits and can be ended, because a
 * page can be designed to need much time or memory.
 * @typedef {import('./page-nodes.mjs').Element} Element
 */

/** If the main element contains a smaller share of the text of the page than this, the whole page is used. */
const MIN_MAIN_SHARE = 0.1

/**
 * @param {Uint8Array} bytes
 * @param {{ url: string, charset: string | undefined }} page
 */
function convertPage(bytes, { url, charset }) {
  const html = decode(bytes, charset)
  const document = parsePage(html)
  const body = findElement(document, (name) => name === 'body') ?? document
  const base = attributeOf(
    findElement(document, (name) => name === 'base'),
    'href',
  )
  const writer = new MarkdownWriter(resolveUrl(base, url) ?? url)
  const main = findMain(body)
  const isMainEnough = main !== undefined && countText(main) >= MIN_MAIN_SHARE * countText(body)
  const markdown = writer.writeBlocks(isMainEnough ? main.children : body.children, 0)
  return { title: titleOf(document), markdown: markdown.trim() }
}

/**
 * Decodes a page with the encoding from the byte order mark, the header or the `meta` element, in this order. Otherwise uses
 * UTF-8, or Windows-1252 if the bytes are not valid UTF-8.
 * @param {Uint8Array} bytes
 * @param {string | undefined} headerCharset
 */
function decode(bytes, headerCharset) {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 2_048))
  const meta = /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w-]+)/i.exec(start)?.[1]
  const markedCharset = start.startsWith('\xff\xfe')
    ? 'utf-16le'
    : start.startsWith('\xfe\xff')
      ? 'utf-16be'
      : undefined
  for (const charset of [start.startsWith('\xef\xbb\xbf') ? 'utf-8' : markedCharset, headerCharset, meta]) {
    if (charset === undefined) continue
    try {
      return new TextDecoder(charset).decode(bytes)
    } catch {
      // The encoding is unknown, so the next source is tried.
    }
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // Old pages that are not UTF-8 usually use Windows-1252.
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/**
 * Returns the element with the content: `main`, or the only `article`.
 * @param {Element} body
 */
function findMain(body) {
  const main = findElement(body, (name, element) => name === 'main' || element.attribs.role === 'main')
  if (main !== undefined) return main
  /** @type {Element[]} */
  const articles = []
  walk(body, (node) => {
    if (!isElement(node) || node.name !== 'article') return false
    articles.push(node)
    return articles.length > 1 ? true : 'skip'
  })
  return articles.length === 1 ? articles[0] : undefined
}

/** @param {Element} document */
function titleOf(document) {
  const title = findElement(document, (name) => name === 'title')
  return title === undefined
    ? ''
    : joinLines(title.children.map((child) => (child.type === 'text' ? child.data : '')).join(''))
}

parentPort?.postMessage(convertPage(workerData.bytes, workerData))
