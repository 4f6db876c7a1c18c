import { parentPort } from 'node:worker_threads'
import { createEntityDecoder } from './decode-entities.mjs'
import { joinLines, MarkdownWriter, resolveUrl } from './markdown-writer.mjs'
import { textOf } from './page-nodes.mjs'
import { PageParser } from './parse-page.mjs'

/**
 * Runs in a worker thread and converts the bytes of an HTML page to Markdown. The thread has limits and can be ended, because a
 * page can be designed to need much time or memory.
 */

/** If the main element contains a smaller share of the text of the page than this, the whole page is used. */
const MIN_MAIN_SHARE = 0.1

/**
 * @param {Uint8Array} bytes
 * @param {{ url: string, charset: string | undefined }} page
 */
async function convertPage(bytes, { url, charset }) {
  const html = decode(bytes, charset)
  const page = new PageParser(html, await createEntityDecoder(html)).parse()
  const writer = new MarkdownWriter(page, resolveUrl(page.attributeOf(page.base, 'href'), url) ?? url)
  const body = page.body ?? page.document
  // The element with the content: `main`, or the only `article`.
  const main = page.main ?? (page.articles.length === 1 ? page.articles[0] : undefined)
  const isMainEnough = main !== undefined && main.textLength >= MIN_MAIN_SHARE * body.textLength
  const markdown = writer.writeBlocks(isMainEnough ? main.children : body.children, 0)
  return { title: joinLines(page.title === undefined ? '' : textOf(page.title)), markdown: markdown.trim() }
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

parentPort?.on('message', async ({ bytes, ...page }) => {
  parentPort?.postMessage(await convertPage(bytes, page))
})
