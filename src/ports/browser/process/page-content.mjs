import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describeChanges } from './snapshot-changes.mjs'
import { BrowserFailure } from './tab.mjs'

/** The maximum lengths in an answer: of a whole snapshot, and of the changes since the last one. */
const MAX_WHOLE_UNITS = 12_000
const MAX_CHANGES_UNITS = 8_000
/** A snapshot of more elements would take too long. */
const MAX_ELEMENTS = 20_000
const MAX_FILE_UNITS = 20_000_000
const COUNT_TIMEOUT_MS = 10_000
const SNAPSHOT_TIMEOUT_MS = 30_000
const MAX_ATTEMPTS = 3

/**
 * @typedef {object} PageContent
 * @property {'whole' | 'changes' | 'unchanged' | 'part' | 'text'} kind `part` is a snapshot of one element, `text` the start of a page that is too large.
 * @property {string} text
 * @property {number} totalChars
 * @property {boolean} isCut
 * @property {string} [file]
 * @property {number} [elementCount]
 */

/**
 * Describes the parts of a page that the agent does not know yet. Writes the whole description to a file if it is too long.
 * @param {import('./tab.mjs').Tab} tab
 * @param {{ file: string, ref?: string | undefined, isWholeWanted: boolean, signal: AbortSignal }} options
 * @returns {Promise<PageContent>}
 */
export async function describePage(tab, { file, ref, isWholeWanted, signal }) {
  if (ref !== undefined) {
    const text = await retryWhileNavigating(() =>
      locate(tab, ref).ariaSnapshot({ mode: 'ai', timeout: SNAPSHOT_TIMEOUT_MS, signal }),
    )
    return saveContent('part', text, { file, maxUnits: MAX_WHOLE_UNITS })
  }
  const elementCount = Number(
    await withTimeLimit(
      retryWhileNavigating(() => tab.page.evaluate("document.getElementsByTagName('*').length")),
      COUNT_TIMEOUT_MS,
      signal,
    ),
  )
  if (elementCount > MAX_ELEMENTS) return { ...(await describeLargePage(tab, { file, signal })), elementCount }
  const previousSnapshot = tab.lastSnapshot
  const snapshot = await withTimeLimit(
    retryWhileNavigating(() => tab.page.ariaSnapshot({ mode: 'ai', timeout: SNAPSHOT_TIMEOUT_MS, signal })),
    SNAPSHOT_TIMEOUT_MS,
    signal,
  )
  tab.lastSnapshot = snapshot
  if (previousSnapshot !== undefined && !isWholeWanted) {
    const changes = describeChanges(previousSnapshot, snapshot)
    if (changes === '')
      return { kind: 'unchanged', text: '', totalChars: snapshot.length, isCut: false, file: saveText(file, snapshot) }
    if (changes !== undefined && changes.length <= MAX_CHANGES_UNITS)
      return {
        kind: 'changes',
        text: changes,
        totalChars: snapshot.length,
        isCut: false,
        file: saveText(file, snapshot),
      }
  }
  return saveContent('whole', snapshot, { file, maxUnits: MAX_WHOLE_UNITS })
}

/** A script for the page. It returns the first part of the text. */
const FIRST_TEXT = `(() => {
  const MAX_UNITS = 200000
  const walker = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_TEXT)
  const texts = []
  let length = 0
  for (let node = walker.nextNode(); node !== null && length < MAX_UNITS; node = walker.nextNode()) {
    const text = node.nodeValue.replace(/\\s+/g, ' ').trim()
    if (text === '' || /^(?:SCRIPT|STYLE|NOSCRIPT)$/.test(node.parentElement?.tagName ?? '')) continue
    texts.push(text)
    length += text.length
  }
  return texts.join('\\n').slice(0, MAX_UNITS)
})()`

/**
 * Returns the first part of the text of a page that has too many elements for a snapshot.
 * @param {import('./tab.mjs').Tab} tab
 * @param {{ file: string, signal: AbortSignal }} options
 */
async function describeLargePage(tab, { file, signal }) {
  tab.lastSnapshot = undefined
  const text = await withTimeLimit(
    retryWhileNavigating(() => tab.page.evaluate(FIRST_TEXT)),
    SNAPSHOT_TIMEOUT_MS,
    signal,
  )
  return saveContent('text', String(text), { file, maxUnits: MAX_WHOLE_UNITS })
}

/**
 * @param {PageContent['kind']} kind
 * @param {string} text
 * @param {{ file: string, maxUnits: number }} options
 * @returns {PageContent}
 */
function saveContent(kind, text, { file, maxUnits }) {
  const isCut = text.length > maxUnits
  const lineEnd = isCut ? text.lastIndexOf('\n', maxUnits) : text.length
  const shownText = isCut ? text.slice(0, lineEnd > maxUnits / 2 ? lineEnd : maxUnits) : text
  return { kind, text: shownText, totalChars: text.length, isCut, ...(isCut && { file: saveText(file, text) }) }
}

/**
 * @param {string} file
 * @param {string} text
 */
function saveText(file, text) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(file, text.slice(0, MAX_FILE_UNITS), { mode: 0o600 })
  return file
}

const REFERENCE = /^(?:f\d+)?e\d+$/

/**
 * Finds an element by its reference in the last snapshot, or by a selector.
 * @param {import('./tab.mjs').Tab} tab
 * @param {string} ref
 */
export function locate({ page }, ref) {
  return REFERENCE.test(ref) ? page.getByRef(ref) : page.locator(ref)
}

/**
 * Repeats work that failed because the page navigated meanwhile.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function retryWhileNavigating(work) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const isNavigating = /context was destroyed|navigat|Frame was detached/i.test(String(error))
      if (!isNavigating || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

/**
 * Settles like the work, or rejects when the time is up or the call is cancelled.
 * @template T
 * @param {Promise<T>} work
 * @param {number} ms
 * @param {AbortSignal} signal
 * @returns {Promise<T>}
 */
export function withTimeLimit(work, ms, signal) {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new BrowserFailure('The action was cancelled.'))
    const timer = setTimeout(
      () =>
        reject(
          new BrowserFailure(`The page did not respond within ${ms / 1000} s. It may be busy: wait, or use close_tab.`),
        ),
      ms,
    )
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    })
  })
}
