import { once } from 'node:events'
import { unlinkSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { evaluate, performOnPage, takeScreenshot } from './actions.mjs'
import { BrowserSession } from './browser-session.mjs'
import { describePage, withTimeLimit } from './page-content.mjs'
import { BrowserFailure, siteOf } from './tab.mjs'

/**
 * Runs in its own process, because loading Playwright takes long, and a hostile page may need much time or memory. Reads one
 * JSON request per line from stdin and writes one JSON answer per line to stdout. Ends when stdin ends.
 * @typedef {import('./tab.mjs').Tab} Tab
 * @typedef {import('../../../contract/ports/browser.js').BrowserAction} BrowserAction
 * @typedef {import('../../../contract/ports/browser.js').BrowserOutcome} BrowserOutcome
 * @typedef {object} HostRequest
 * @property {number} id
 * @property {'act' | 'locate' | 'download' | 'forget' | 'cancel'} method
 * @property {string} agent
 * @property {BrowserAction} [action]
 * @property {readonly string[]} [files] Copies of the files to upload.
 * @property {string} [permittedUrl]
 * @property {string} [tab]
 * @property {string} [download]
 */

const TITLE_TIMEOUT_MS = 2_000
const CLOSE_TIMEOUT_MS = 5_000
const DOWNLOAD_TIMEOUT_MS = 60_000
const MAX_URL_UNITS = 1_000
const MAX_MESSAGE_UNITS = 1_500

/** @type {import('./browser-session.mjs').SessionOptions} */
const options = JSON.parse(process.argv[2] ?? '{}')
/** @type {Promise<BrowserSession> | undefined} */
let opening
let isEnding = false
/** @type {Map<number, AbortController>} */
const running = new Map()
/** The last action of each agent, as a promise. Actions of one agent run one after the other. @type {Map<string, Promise<unknown>>} */
const queues = new Map()

function openSession() {
  opening ??= BrowserSession.launch(options).then((session) => {
    // Exiting while the browser closes would kill it before it has saved its profile.
    session.context.on('close', () => isEnding || process.exit(1))
    return session
  })
  return opening
}

/**
 * @param {HostRequest} request
 * @param {AbortSignal} signal
 */
async function answerRequest(request, signal) {
  const { method, agent } = request
  if (method === 'locate') return locatePage(await opening, request)
  const session = await openSession()
  if (method === 'download') return findDownload(session, request, signal)
  if (method === 'forget') return forgetDownload(session, request, signal)
  const { action } = request
  if (action === undefined) throw new BrowserFailure('The request has no action.')
  const earlier = queues.get(agent) ?? Promise.resolve()
  const work = earlier.catch(() => undefined).then(() => performAction(session, { ...request, action }, signal))
  queues.set(agent, work)
  return work
}

/**
 * @param {BrowserSession | undefined} session
 * @param {HostRequest} request
 */
function locatePage(session, { agent, tab: id }) {
  const tab =
    id === undefined ? session?.currentTab(agent) : session?.tabsOf(agent).find((candidate) => candidate.id === id)
  if (tab === undefined) return {}
  const { site } = tab
  const url = siteOf(tab.page.url()) === undefined && site !== '' ? `https://${site}/` : tab.page.url()
  return { location: { url: url.slice(0, MAX_URL_UNITS), isShown: tab.shownSite === site } }
}

/**
 * @param {BrowserSession} session
 * @param {HostRequest & { action: BrowserAction }} request
 * @param {AbortSignal} signal
 * @returns {Promise<BrowserOutcome>}
 */
async function performAction(session, request, signal) {
  const { agent, action, permittedUrl } = request
  if (signal.aborted) throw new BrowserFailure('The action was cancelled.')
  const permittedSite = permittedUrl === undefined ? undefined : (siteOf(permittedUrl) ?? '')
  const isDone = await actOutsidePages(session, agent, action, signal)
  if (isDone) return describeState(session, agent, undefined, {})
  const tab = await findActionTab(session, agent, action)
  if (action.type !== 'navigate' && tab.site !== permittedSite)
    return describeState(session, agent, undefined, { movedTo: tab.page.url(), isPerformed: false })
  requireAnsweredDialog(tab, action)
  tab.beginAction()
  const parts = await performOn(tab, action, { files: request.files, signal })
  if (tab.isCrashed) throw new BrowserFailure(CRASH_MESSAGE)
  if (session.currentTab(agent) !== tab) return describeState(session, agent, permittedSite, parts)
  const snapshot = await describeTabPage(tab, action, permittedSite, signal)
  // The page may have navigated while it was described.
  if (tab.site !== permittedSite) return describeState(session, agent, undefined, { movedTo: tab.page.url() })
  return describeState(session, agent, permittedSite, { ...parts, snapshot })
}

const CRASH_MESSAGE = 'The page crashed. Use navigate to open a page in its place.'

/**
 * Performs actions that need no page. Returns whether the action is done.
 * @param {BrowserSession} session
 * @param {string} agent
 * @param {BrowserAction} action
 * @param {AbortSignal} signal
 */
async function actOutsidePages(session, agent, action, signal) {
  if (action.type === 'downloads') for (const entry of session.downloads) entry.announcedState = undefined
  if (action.type === 'close_tab')
    await withTimeLimit(findTab(session, agent, action.tab).page.close(), CLOSE_TIMEOUT_MS, signal)
  return action.type === 'tabs' || action.type === 'downloads' || action.type === 'close_tab'
}

/**
 * @param {Tab} tab
 * @param {BrowserAction} action
 */
function requireAnsweredDialog({ dialog }, action) {
  if (dialog === undefined || action.type === 'dialog' || action.type === 'switch_tab') return
  const message = JSON.stringify(dialog.message().slice(0, MAX_MESSAGE_UNITS))
  throw new BrowserFailure(`A dialog is open: ${dialog.type()} ${message}. Answer it with the action dialog first.`)
}

/**
 * Describes the page if the action shows it, the agent may see it, and no dialog blocks it.
 * @param {Tab} tab
 * @param {BrowserAction} action
 * @param {string | undefined} permittedSite
 * @param {AbortSignal} signal
 */
async function describeTabPage(tab, action, permittedSite, signal) {
  if (tab.site !== permittedSite) return undefined
  tab.shownSite = tab.site
  if (tab.dialog !== undefined || !SHOWS_PAGE.has(action.type)) return undefined
  const ref = action.type === 'snapshot' ? action.ref : undefined
  const isWholeWanted = (action.type === 'snapshot' && action.isWhole) || action.type === 'switch_tab'
  const file = `${options.snapshotFolder}/${tab.id}.yaml`
  // A script of the page can open a dialog at any time.
  return raceWithDialog(tab, describePage(tab, { file, ref, isWholeWanted, signal }))
}

/** The actions whose answer describes the page. */
const SHOWS_PAGE = new Set([
  ...[
    'navigate',
    'back',
    'forward',
    'reload',
    'snapshot',
    'click',
    'hover',
    'fill',
    'press',
    'select',
    'upload',
    'wait',
  ],
  ...['dialog', 'switch_tab'],
])

/**
 * @param {BrowserSession} session
 * @param {string} agent
 * @param {BrowserAction} action
 */
async function findActionTab(session, agent, action) {
  if (action.type === 'switch_tab') {
    const chosenTab = findTab(session, agent, action.tab)
    session.makeCurrent(chosenTab)
    await chosenTab.page.bringToFront()
  }
  const current = session.currentTab(agent)
  if (action.type === 'navigate') {
    if (current === undefined || action.isInNewTab) return session.openTab(agent)
    if (current.isCrashed) await session.replacePage(current)
    return current
  }
  if (current === undefined || (current.page.url() === 'about:blank' && current.site === ''))
    throw new BrowserFailure('No page is open. Use the action navigate first.')
  if (current.isCrashed) throw new BrowserFailure(CRASH_MESSAGE)
  return current
}

/**
 * @param {BrowserSession} session
 * @param {string} agent
 * @param {string} id
 */
function findTab(session, agent, id) {
  const tab = session.tabsOf(agent).find((candidate) => candidate.id === id)
  if (tab !== undefined) return tab
  const ids = session.tabsOf(agent).map((candidate) => candidate.id)
  throw new BrowserFailure(`There is no tab ${JSON.stringify(id)}. Open tabs: ${ids.join(', ') || 'none'}.`)
}

/**
 * @param {Tab} tab
 * @param {BrowserAction} action
 * @param {{ files: readonly string[] | undefined, signal: AbortSignal }} context
 * @returns {Promise<Partial<BrowserOutcome>>}
 */
async function performOn(tab, action, { files, signal }) {
  switch (action.type) {
    case 'snapshot':
    case 'switch_tab':
      return {}
    case 'evaluate':
      return { value: await raceWithDialog(tab, evaluate(tab, action.script, signal)) }
    case 'screenshot':
      return { image: await takeScreenshot(tab, action, signal) }
    case 'console':
      return { log: tab.logs.console.list(action.filter) }
    case 'network':
      return { log: tab.logs.network.list(action.filter) }
    default:
      await performOnPage(tab, action, { signal, files })
      return {}
  }
}

/**
 * @template T
 * @param {Tab} tab
 * @param {Promise<T>} work
 * @returns {Promise<T | undefined>}
 */
function raceWithDialog(tab, work) {
  work.catch(() => undefined)
  return Promise.race([work, tab.dialogOpened().then(() => undefined)])
}

/**
 * @param {BrowserSession} session
 * @param {string} agent
 * @param {string | undefined} permittedSite
 * @param {Partial<BrowserOutcome>} parts
 * @returns {Promise<BrowserOutcome>}
 */
async function describeState(session, agent, permittedSite, parts) {
  const current = session.currentTab(agent)
  const dialog = current?.site === permittedSite ? current?.dialog : undefined
  const ownTabs = session.tabsOf(agent)
  return {
    isPerformed: true,
    ...parts,
    ...(current !== undefined && { tab: await describeTab(current, true) }),
    ...(parts.movedTo !== undefined && { movedTo: parts.movedTo.slice(0, MAX_URL_UNITS) }),
    ...(dialog !== undefined && {
      dialog: { kind: dialog.type(), message: dialog.message().slice(0, MAX_MESSAGE_UNITS) },
    }),
    tabs: await Promise.all(ownTabs.map((tab) => describeTab(tab, tab === current))),
    downloads: announceDownloads(session, agent),
    notes: session.takeNotes(agent, permittedSite),
  }
}

/**
 * Returns the downloads of an agent whose state has changed since the last answer.
 * @param {BrowserSession} session
 * @param {string} agent
 */
function announceDownloads(session, agent) {
  const changed = session.downloads.filter((entry) => entry.agent === agent && entry.announcedState !== entry.state)
  for (const entry of changed) entry.announcedState = entry.state
  return changed.map(({ id, name, state, bytes, reason }) => ({ id, name: name.slice(0, 200), state, bytes, reason }))
}

/**
 * @param {Tab} tab
 * @param {boolean} isCurrent
 */
async function describeTab(tab, isCurrent) {
  const isShown = tab.shownSite === tab.site && !tab.isCrashed
  // Only the title of the current tab is requested, because other tabs may be busy and slow to answer.
  const hasTitle = isShown && isCurrent && tab.dialog === undefined
  const title = hasTitle
    ? await withTimeLimit(tab.page.title(), TITLE_TIMEOUT_MS, new AbortController().signal).catch(() => '')
    : ''
  const url = isShown ? tab.page.url() : tab.site
  return { id: tab.id, url: url.slice(0, MAX_URL_UNITS), title: title.slice(0, 200), isCurrent }
}

/**
 * @param {BrowserSession} session
 * @param {HostRequest} request
 * @param {AbortSignal} signal
 */
async function findDownload(session, { agent, download: id }, signal) {
  const ownDownloads = session.downloads.filter((entry) => entry.agent === agent)
  const entry = ownDownloads.find((candidate) => candidate.id === id)
  if (entry === undefined)
    throw new BrowserFailure(
      `There is no download ${JSON.stringify(id)}. Downloads: ${ownDownloads.map((candidate) => candidate.id).join(', ') || 'none'}.`,
    )
  await withTimeLimit(entry.ended, DOWNLOAD_TIMEOUT_MS, signal).catch(() => {
    throw new BrowserFailure(`Download ${id} is not complete yet. Wait and try again.`)
  })
  if (entry.state === 'failed') throw new BrowserFailure(`Download ${id} failed: ${entry.reason}.`)
  return { name: entry.name, path: entry.path }
}

/**
 * @param {BrowserSession} session
 * @param {HostRequest} request
 * @param {AbortSignal} signal
 */
async function forgetDownload(session, request, signal) {
  const { path } = await findDownload(session, request, signal)
  if (path !== undefined) unlinkSync(path)
  session.downloads = session.downloads.filter((entry) => entry.id !== request.download)
  return {}
}

/** @param {object} message */
function send(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}

/**
 * @param {string} message
 * @param {readonly string[]} output
 */
function describeStartFailure(message, output) {
  if (output.length > 0) return `The browser did not start: ${output.slice(-5).join('\n')}`
  if (!message.startsWith('browserType.launchPersistentContext')) return message
  const exit = /exitCode=(-?\d+)/.exec(message)?.[1]
  return `The browser did not start${exit === undefined ? '' : `: it ended with exit code ${exit}`}. Check the program in the setting web.browser.executable, or remove the setting.`
}

/** @param {unknown} error */
function toErrorMessage(error) {
  const { message = String(error), code } = /** @type {{ message?: string, code?: string }} */ (error ?? {})
  // If the browser does not start, its own output, which follows all its arguments, names the cause.
  const output = message.split('\n').filter((line) => line.includes('[err]'))
  const cause = describeStartFailure(message, output)
  return { message: cause.slice(0, MAX_MESSAGE_UNITS), ...(code === 'no_package' && { code }) }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  /** @type {HostRequest} */
  const request = JSON.parse(line)
  if (request.method === 'cancel') return void running.get(request.id)?.abort()
  const controller = new AbortController()
  running.set(request.id, controller)
  answerRequest(request, controller.signal)
    .then(
      (result) => send({ id: request.id, result }),
      (error) => send({ id: request.id, error: toErrorMessage(error) }),
    )
    .finally(() => running.delete(request.id))
})
// A failure of a page must not end the browser: the action that needs the page fails by itself.
process.on('unhandledRejection', () => undefined)
await once(process.stdin, 'end')
isEnding = true
await opening?.then((session) => session.close()).catch(() => undefined)
process.exit(0)
