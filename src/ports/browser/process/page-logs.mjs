/** Records what a page prints and requests, within fixed limits, because a page can produce any amount of both. */

const MAX_ENTRIES = 300
/** The tool shortens entries further, without splitting a character. */
const MAX_ENTRY_UNITS = 2_000

/** A list that keeps its last entries and counts those that it dropped. */
export class BoundedLog {
  /** @type {string[]} */
  #entries = []
  #droppedCount = 0

  /** @param {string} entry */
  add(entry) {
    this.#entries.push(entry.slice(0, MAX_ENTRY_UNITS).replace(/\s+/g, ' ').trim())
    if (this.#entries.length <= MAX_ENTRIES) return
    this.#entries.shift()
    this.#droppedCount++
  }

  /**
   * Returns the entries that contain a text.
   * @param {string} [filter]
   */
  list(filter = '') {
    const lowerCaseFilter = filter.toLowerCase()
    return {
      lines: this.#entries.filter((entry) => entry.toLowerCase().includes(lowerCaseFilter)),
      droppedCount: this.#droppedCount,
    }
  }
}

/**
 * @param {import('playwright-core').Page} page
 * @param {{ readonly console: BoundedLog, readonly network: BoundedLog }} logs
 */
export function recordLogs(page, logs) {
  page.on('console', (message) => {
    const { url, lineNumber } = message.location()
    const place = url === '' ? '' : ` (${url.slice(0, 300)}:${lineNumber + 1})`
    logs.console.add(`${message.type()}: ${message.text().slice(0, MAX_ENTRY_UNITS - place.length - 20)}${place}`)
  })
  page.on('pageerror', (error) => logs.console.add(`uncaught: ${String(error?.message ?? error)}`))
  page.on('response', (response) => {
    const request = response.request()
    logs.network.add(`${request.method()} ${response.status()} ${request.resourceType()} ${request.url()}`)
  })
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? 'failed'
    logs.network.add(`${request.method()} ${reason} ${request.resourceType()} ${request.url()}`)
  })
}
