import { parentPort, workerData } from 'node:worker_threads'
import { MarkdownWriter, oneLine, resolveUrl } from './markdown-writer.mjs'
import { attributeOf, countText, findElement, isElement, parsePage, walk } from './page-nodes.mjs'

/**
 * Runs in a worker thread: turns the bytes of an HTML page into Markdown. A page can be built to need much time or
 * memory, so the thread has limits and can be ended.
 * @typedef {import('./page-nodes.mjs').Element} Element
 */

/** If the main element has less of the text of a page than this, the whole page is used. */
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
 * Uses the byte order mark, the header or the `meta` element, in this order; else UTF-8, or Windows-1252 if the bytes
 * are not valid UTF-8.
 * @param {Uint8Array} bytes
 * @param {string | undefined} headerCharset
 */
function decode(bytes, headerCharset) {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 2_048))
  const meta = /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w-]+)/i.exec(start)?.[1]
  const marked = start.startsWith('\xff\xfe') ? 'utf-16le' : start.startsWith('\xfe\xff') ? 'utf-16be' : undefined
  for (const charset of [start.startsWith('\xef\xbb\xbf') ? 'utf-8' : marked, headerCharset, meta]) {
    if (charset === undefined) continue
    try {
      return new TextDecoder(charset).decode(bytes)
    } catch {
      // An unknown name: the next source decides.
    }
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // Not UTF-8: the usual encoding of old pages.
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/**
 * The element with the content: `main`, or the only `article`.
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
    : oneLine(title.children.map((child) => (child.type === 'text' ? child.data : '')).join(''))
}

parentPort?.postMessage(convertPage(workerData.bytes, workerData))
