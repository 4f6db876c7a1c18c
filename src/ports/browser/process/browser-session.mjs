import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { BrowserFailure, Tab } from './tab.mjs'

/**
 * @typedef {object} SessionOptions
 * @property {string} executable
 * @property {string} profileFolder
 * @property {string} downloadsFolder
 * @property {string} snapshotFolder
 * @property {string} proxy The address of the proxy that checks every connection.
 * @property {boolean} isSandboxed
 * @property {Record<string, string>} environment
 */

const MAX_TABS = 20
const MAX_DOWNLOADS = 20
/** The limit of all downloads together. */
const MAX_DOWNLOAD_BYTES = 200 * 1024 ** 2
const DOWNLOAD_CHECK_MS = 200
const MAX_NOTES = 20
const LAUNCH_TIMEOUT_MS = 60_000
const VIEWPORT = { width: 1280, height: 800 }

/**
 * @typedef {object} DownloadEntry
 * @property {string} id
 * @property {string} agent
 * @property {string} name
 * @property {'running' | 'complete' | 'failed'} state
 * @property {string} [path]
 * @property {number} [bytes]
 * @property {string} [reason]
 * @property {string | undefined} [announcedState]
 * @property {Promise<void>} ended
 * @property {import('playwright-core').Download} download
 */

/** The browser of one session, with the tabs and downloads of all its agents. */
export class BrowserSession {
  /** @type {readonly Tab[]} */
  tabs = []
  /** @type {DownloadEntry[]} */
  downloads = []
  /** @type {Map<string, Tab>} */
  #currentTabs = new Map()
  /** @type {Map<string, { list: { text: string, site: string | undefined }[], dropped: number }>} */
  #notes = new Map()
  #tabCount = 0
  #downloadCount = 0
  #creatingCount = 0
  #closedPopups = 0
  /** @type {NodeJS.Timeout | undefined} */
  #downloadCheck

  /**
   * @param {import('playwright-core').BrowserContext} context
   * @param {SessionOptions} options
   */
  constructor(context, options) {
    this.context = context
    this.options = options
    context.on('page', (page) => void this.#receivePage(page).catch(() => undefined))
  }

  /** @param {SessionOptions} options */
  static async launch(options) {
    const { chromium } = await import('playwright-core').catch((error) => {
      throw Object.assign(new BrowserFailure('The package playwright-core is missing.'), {
        code: 'no_package',
        cause: error,
      })
    })
    const { executable, profileFolder, downloadsFolder, isSandboxed, environment, proxy } = options
    const context = await chromium.launchPersistentContext(profileFolder, {
      executablePath: executable,
      headless: true,
      chromiumSandbox: isSandboxed,
      // The mark by which Haft finds the browser if it outlives this process.
      env: { ...environment, ...(process.env.HAFT_MARK !== undefined && { HAFT_MARK: process.env.HAFT_MARK }) },
      downloadsPath: downloadsFolder,
      acceptDownloads: true,
      viewport: VIEWPORT,
      timeout: LAUNCH_TIMEOUT_MS,
      // This process ends the browser itself when Haft ends it.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      // Security features of the browser that Playwright turns off for tests.
      ignoreDefaultArgs: ['--disable-popup-blocking', '--disable-ipc-flooding-protection'],
      args: [
        // Every connection goes through the proxy, including loopback, and the browser itself looks up no names.
        `--proxy-server=${proxy}`,
        '--proxy-bypass-list=<-loopback>',
        '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
        '--dns-prefetch-disable',
        '--disable-quic',
        '--no-pings',
        // WebRTC would connect without the proxy.
        '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
        '--webrtc-ip-handling-policy=disable_non_proxied_udp',
      ],
    })
    const session = new BrowserSession(context, options)
    for (const page of context.pages()) session.#adopt(page, 'main', '')
    return session
  }

  async close() {
    clearInterval(this.#downloadCheck)
    await this.context.close()
  }

  /** @param {string} agent */
  tabsOf(agent) {
    return this.tabs.filter((tab) => tab.agent === agent)
  }

  /** @param {string} agent */
  currentTab(agent) {
    return this.#currentTabs.get(agent)
  }

  /** @param {Tab} tab */
  makeCurrent(tab) {
    this.#currentTabs.set(tab.agent, tab)
  }

  /** @param {string} agent */
  async openTab(agent) {
    if (this.tabs.length >= MAX_TABS)
      throw new BrowserFailure(`${MAX_TABS} tabs are open. Close some with the action close_tab first.`)
    this.#creatingCount++
    try {
      const tab = this.#adopt(await this.context.newPage(), agent, '')
      this.makeCurrent(tab)
      return tab
    } finally {
      this.#creatingCount--
    }
  }

  /**
   * Opens a new page in a tab whose page crashed.
   * @param {Tab} tab
   */
  async replacePage(tab) {
    const crashedPage = tab.page
    this.#creatingCount++
    try {
      tab.attach(await this.context.newPage())
    } finally {
      this.#creatingCount--
    }
    await crashedPage.close().catch(() => undefined)
  }

  /**
   * Adds a text to the next answer to an agent. `site` is the site that the text comes from.
   * @param {string} agent
   * @param {string} text
   * @param {string} [site]
   */
  note(agent, text, site) {
    const notes = this.#notes.get(agent) ?? { list: [], dropped: 0 }
    this.#notes.set(agent, notes)
    if (notes.list.length < MAX_NOTES) notes.list.push({ text, site })
    else notes.dropped++
  }

  /**
   * Removes and returns the texts for an agent, without texts of other sites than the permitted one.
   * @param {string} agent
   * @param {string | undefined} permittedSite
   */
  takeNotes(agent, permittedSite) {
    const { list = [], dropped = 0 } = this.#notes.get(agent) ?? {}
    this.#notes.delete(agent)
    const popups = this.#closedPopups
    this.#closedPopups = 0
    return [
      ...list.filter(({ site }) => site === undefined || site === permittedSite).map(({ text }) => text),
      ...(dropped === 0 ? [] : [`${dropped} more events happened.`]),
      ...(popups === 0 ? [] : [`${popups} popups were closed, because ${MAX_TABS} tabs are open.`]),
    ]
  }

  /** @param {import('playwright-core').Page} page */
  async #receivePage(page) {
    const opener = await page.opener()
    if (this.tabs.some((tab) => tab.page === page) || (opener === null && this.#creatingCount > 0)) return
    const openerTab = this.tabs.find((tab) => tab.page === opener) ?? this.tabs.at(-1)
    if (this.tabs.length >= MAX_TABS || openerTab === undefined) {
      this.#closedPopups++
      await page.close()
      return
    }
    const tab = this.#adopt(page, openerTab.agent, openerTab.site)
    this.note(tab.agent, `The page opened a new tab: ${tab.id}. Use switch_tab to go there.`)
  }

  /**
   * @param {import('playwright-core').Page} page
   * @param {string} agent
   * @param {string} blankSite
   */
  #adopt(page, agent, blankSite) {
    this.#tabCount++
    const tab = new Tab(`t${this.#tabCount}`, agent, page, {
      blankSite,
      note: (source, text) => this.note(source.agent, text, source.site),
      onDownload: (source, download) => this.#receiveDownload(source, download),
      onClose: (closed) => this.#forget(closed),
    })
    this.tabs = [...this.tabs, tab]
    if (!this.#currentTabs.has(agent)) this.makeCurrent(tab)
    return tab
  }

  /** @param {Tab} closedTab */
  #forget(closedTab) {
    closedTab.isClosed = true
    this.tabs = this.tabs.filter((tab) => tab !== closedTab)
    const { agent } = closedTab
    if (this.#currentTabs.get(agent) !== closedTab) return
    const nextTab = this.tabsOf(agent).at(-1)
    if (nextTab === undefined) this.#currentTabs.delete(agent)
    else this.#currentTabs.set(agent, nextTab)
    this.note(
      agent,
      `Tab ${closedTab.id} was closed${nextTab === undefined ? '' : `; the current tab is ${nextTab.id}`}.`,
    )
  }

  /**
   * @param {Tab} tab
   * @param {import('playwright-core').Download} download
   */
  #receiveDownload({ agent }, download) {
    // Cancelling fails if the download has already ended.
    const ignore = () => undefined
    if (this.downloads.length >= MAX_DOWNLOADS) {
      this.note(agent, `A download was cancelled, because there are ${MAX_DOWNLOADS} already.`)
      return void download.cancel().catch(ignore)
    }
    this.#downloadCount++
    /** @type {DownloadEntry} */
    const entry = {
      id: `d${this.#downloadCount}`,
      agent,
      name: download.suggestedFilename(),
      state: 'running',
      download,
      ended: Promise.resolve(),
    }
    this.downloads.push(entry)
    this.#downloadCheck ??= setInterval(() => this.#limitDownloads(), DOWNLOAD_CHECK_MS)
    const complete = async () => {
      entry.path = await download.path()
      entry.bytes = statSync(entry.path).size
      entry.state = 'complete'
    }
    entry.ended = complete().catch((error) => {
      entry.state = 'failed'
      entry.reason ??= String(error?.message ?? error).split('\n')[0] ?? ''
    })
  }

  #limitDownloads() {
    const running = this.downloads.filter(({ state }) => state === 'running')
    if (running.length === 0) {
      clearInterval(this.#downloadCheck)
      this.#downloadCheck = undefined
      return
    }
    if (measureFolder(this.options.downloadsFolder) <= MAX_DOWNLOAD_BYTES) return
    for (const entry of running) {
      entry.reason = `all downloads together exceed ${MAX_DOWNLOAD_BYTES / 1024 ** 2} MB`
      void entry.download.cancel().catch(() => undefined)
    }
  }
}

/** @param {string} folder */
function measureFolder(folder) {
  let bytes = 0
  for (const name of readdirSync(folder)) {
    try {
      bytes += statSync(join(folder, name)).size
    } catch {
      // The file was renamed or removed after the list was read.
    }
  }
  return bytes
}
