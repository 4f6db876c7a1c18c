import { BoundedLog, recordLogs } from './page-logs.mjs'

/** After this many alerts during one action, the next one stays open, because the page may never stop. */
const MAX_ALERTS = 5
const MAX_NOTE_UNITS = 1_000

/** An error that the model can act on. */
export class BrowserFailure extends Error {}

/** A page, with the events since the last answer. */
export class Tab {
  /** @type {import('playwright-core').Page} */
  page
  logs = { console: new BoundedLog(), network: new BoundedLog() }
  /** The snapshot that the agent saw last. @type {string | undefined} */
  lastSnapshot
  /** The site whose content an agent was allowed to see in this tab. @type {string | undefined} */
  shownSite
  /** An unanswered dialog, which blocks the page. @type {import('playwright-core').Dialog | undefined} */
  dialog
  /** A file chooser that the page opened. @type {import('playwright-core').FileChooser | undefined} */
  chooser
  isCrashed = false
  isClosed = false
  /** Requests that have not ended. @type {Set<import('playwright-core').Request>} */
  openRequests = new Set()
  #alertCount = 0
  /** @type {(() => void)[]} */
  #dialogWaiters = []

  /**
   * @param {string} id
   * @param {string} agent
   * @param {import('playwright-core').Page} page
   * @param {{ blankSite: string, note: (tab: Tab, text: string) => void, onDownload: (tab: Tab, download: import('playwright-core').Download) => void, onClose: (tab: Tab) => void }} options
   * `blankSite` is the site that may write into the tab while it is empty.
   */
  constructor(id, agent, page, options) {
    this.id = id
    this.agent = agent
    this.options = options
    this.page = page
    this.attach(page)
  }

  /** @param {import('playwright-core').Page} page */
  attach(page) {
    this.page = page
    this.isCrashed = false
    this.lastSnapshot = undefined
    this.openRequests.clear()
    recordLogs(page, this.logs)
    page.on('dialog', (dialog) => this.#receiveDialog(dialog))
    page.on('filechooser', (chooser) => {
      this.chooser = chooser
      this.note('The page opened a file chooser. Use the action upload without ref to choose files.')
    })
    page.on('download', (download) => this.options.onDownload(this, download))
    page.on('crash', () => {
      this.isCrashed = true
      this.openRequests.clear()
    })
    page.on('close', () => {
      if (page === this.page) this.options.onClose(this)
    })
    page.on('request', (request) => this.openRequests.add(request))
    page.on('requestfinished', (request) => this.openRequests.delete(request))
    page.on('requestfailed', (request) => this.openRequests.delete(request))
  }

  /** The site that the content of the tab belongs to: a host name, or an empty string for an empty tab. */
  get site() {
    const url = this.page.url()
    return siteOf(url) ?? this.options.blankSite
  }

  /** @param {string} text */
  note(text) {
    this.options.note(this, text.slice(0, MAX_NOTE_UNITS))
  }

  beginAction() {
    this.#alertCount = 0
  }

  /** Resolves when a dialog needs an answer. */
  dialogOpened() {
    return /** @type {Promise<void>} */ (
      new Promise((resolve) => {
        if (this.dialog !== undefined) resolve()
        else this.#dialogWaiters.push(resolve)
      })
    )
  }

  /**
   * @param {boolean} isAccepted
   * @param {string | undefined} text
   */
  async answerDialog(isAccepted, text) {
    const { dialog } = this
    if (dialog === undefined) throw new BrowserFailure('No dialog is open in this tab.')
    this.dialog = undefined
    if (isAccepted) await dialog.accept(text)
    else await dialog.dismiss()
  }

  /** @param {import('playwright-core').Dialog} dialog */
  #receiveDialog(dialog) {
    // A dialog of a page that is gone cannot be answered.
    const ignore = () => undefined
    if (dialog.type() === 'beforeunload') return void dialog.accept().catch(ignore)
    this.#alertCount++
    if (dialog.type() === 'alert' && this.#alertCount <= MAX_ALERTS) {
      this.note(`The page showed an alert: ${JSON.stringify(dialog.message())}`)
      return void dialog.accept().catch(ignore)
    }
    this.dialog = dialog
    for (const resolve of this.#dialogWaiters.splice(0)) resolve()
  }
}

/**
 * Returns the host of a page; undefined for an empty page. A page with another scheme than http counts as its own site, which
 * no rule covers.
 * @param {string} url
 */
export function siteOf(url) {
  if (url === '' || url === 'about:blank' || url === 'about:srcdoc') return undefined
  const parsedUrl = new URL(url.startsWith('blob:') ? url.slice('blob:'.length) : url)
  return parsedUrl.protocol === 'http:' || parsedUrl.protocol === 'https:' ? parsedUrl.hostname : parsedUrl.protocol
}
