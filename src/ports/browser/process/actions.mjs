import { Script } from 'node:vm'
import { locate, withTimeLimit } from './page-content.mjs'
import { BrowserFailure } from './tab.mjs'

/**
 * @typedef {import('./tab.mjs').Tab} Tab
 * @typedef {import('../../../contract/ports/browser.js').BrowserAction} BrowserAction
 * @typedef {{ readonly signal: AbortSignal, readonly files?: readonly string[] | undefined }} ActionOptions
 * `files` are copies of the files to upload.
 */

const NAVIGATION_TIMEOUT_MS = 30_000
const ELEMENT_TIMEOUT_MS = 8_000
const EVALUATE_TIMEOUT_MS = 20_000
const LOAD_TIMEOUT_MS = 10_000
const REQUESTS_TIMEOUT_MS = 3_000
/** The time in which a page may start requests after an action. */
const REACTION_MS = 120
const MAX_VALUE_UNITS = 20_000
const MAX_SCREENSHOT_HEIGHT = 4_000

/**
 * Performs an action on a page and waits for its direct effects. Ends early if the page opens a dialog.
 * @param {Tab} tab
 * @param {BrowserAction} action
 * @param {ActionOptions} options
 */
export async function performOnPage(tab, action, options) {
  const work = performAndSettle(tab, action, options)
  // If a dialog blocks the page, the work ends only after the answer, and its failure is then irrelevant.
  work.catch(() => undefined)
  await Promise.race([work, tab.dialogOpened()])
}

/**
 * @param {Tab} tab
 * @param {BrowserAction} action
 * @param {ActionOptions} options
 */
async function performAndSettle(tab, action, options) {
  const earlierRequests = new Set(tab.openRequests)
  await performAction(tab, action, options)
  await waitForEffects(tab, earlierRequests, options.signal)
}

/**
 * @param {Tab} tab
 * @param {BrowserAction} action
 * @param {ActionOptions} options
 */
async function performAction(tab, action, { signal, files = [] }) {
  const { page } = tab
  const element = { timeout: ELEMENT_TIMEOUT_MS, signal }
  const navigation = { timeout: NAVIGATION_TIMEOUT_MS, waitUntil: /** @type {const} */ ('commit') }
  switch (action.type) {
    case 'navigate':
      return void (await withTimeLimit(navigate(tab, action.url), NAVIGATION_TIMEOUT_MS + 1_000, signal))
    case 'back':
      return void (await withTimeLimit(page.goBack(navigation), NAVIGATION_TIMEOUT_MS, signal))
    case 'forward':
      return void (await withTimeLimit(page.goForward(navigation), NAVIGATION_TIMEOUT_MS, signal))
    case 'reload':
      return void (await withTimeLimit(page.reload(navigation), NAVIGATION_TIMEOUT_MS, signal))
    case 'click':
      return action.isDouble ? locate(tab, action.ref).dblclick(element) : locate(tab, action.ref).click(element)
    case 'hover':
      return locate(tab, action.ref).hover(element)
    case 'fill':
      for (const { ref, value } of action.fields) await fillField(tab, ref, value, element)
      if (action.isSubmitted) await locate(tab, action.fields.at(-1)?.ref ?? '').press('Enter', element)
      return
    case 'press':
      if (action.ref !== undefined) return locate(tab, action.ref).press(action.key, element)
      return withTimeLimit(page.keyboard.press(action.key), ELEMENT_TIMEOUT_MS, signal)
    case 'select':
      return void (await locate(tab, action.ref).selectOption([...action.values], element))
    case 'upload':
      return upload(tab, action.ref, files, signal)
    case 'wait':
      return waitOnPage(tab, action, signal)
    case 'dialog':
      return tab.answerDialog(action.isAccepted, action.text)
    default:
      throw new BrowserFailure(`The action ${action.type} does not act on a page.`)
  }
}

/**
 * @param {Tab} tab
 * @param {string} url
 */
async function navigate({ page }, url) {
  try {
    await page.goto(url, { timeout: NAVIGATION_TIMEOUT_MS, waitUntil: 'commit' })
  } catch (error) {
    // Navigating to a download fails with one of these errors.
    if (!/Download is starting|net::ERR_ABORTED/.test(String(error))) throw error
  }
}

/**
 * @param {Tab} tab
 * @param {string} ref
 * @param {string | boolean} value
 * @param {{ timeout: number, signal: AbortSignal }} options
 */
async function fillField(tab, ref, value, options) {
  const field = locate(tab, ref)
  if (typeof value === 'boolean') return field.setChecked(value, options)
  const tagName = await field.evaluate((element) => element.tagName, undefined, options)
  if (tagName === 'SELECT') await field.selectOption(value, options)
  else await field.fill(value, options)
}

/**
 * @param {Tab} tab
 * @param {string | undefined} ref
 * @param {readonly string[]} files
 * @param {AbortSignal} signal
 */
async function upload(tab, ref, files, signal) {
  const { chooser } = tab
  tab.chooser = undefined
  if (ref !== undefined) return locate(tab, ref).setInputFiles([...files], { timeout: ELEMENT_TIMEOUT_MS, signal })
  if (chooser === undefined)
    throw new BrowserFailure(
      'The page has opened no file chooser. Name the file input with ref, or click the button that opens one.',
    )
  await withTimeLimit(chooser.setFiles([...files]), ELEMENT_TIMEOUT_MS, signal)
}

/**
 * @param {Tab} tab
 * @param {Extract<BrowserAction, { type: 'wait' }>} action
 * @param {AbortSignal} signal
 */
async function waitOnPage(tab, { text, goneText, seconds }, signal) {
  const timeout = seconds * 1_000
  const expectedText = text ?? goneText
  if (expectedText === undefined) return withTimeLimit(tab.page.waitForTimeout(timeout), timeout + 1_000, signal)
  const inFrames = tab.page.frames().map((frame) => frame.getByText(expectedText).first())
  const verb = text === undefined ? 'still there' : 'not found'
  const work =
    text === undefined
      ? Promise.all(inFrames.map((locator) => locator.waitFor({ state: 'hidden', timeout, signal })))
      : Promise.any(inFrames.map((locator) => locator.waitFor({ state: 'visible', timeout, signal })))
  await work.catch(() => {
    throw new BrowserFailure(`The text ${JSON.stringify(expectedText)} was ${verb} after ${seconds} s.`)
  })
}

/**
 * Waits for navigations and requests that an action started.
 * @param {Tab} tab
 * @param {ReadonlySet<import('playwright-core').Request>} earlierRequests
 * @param {AbortSignal} signal
 */
async function waitForEffects(tab, earlierRequests, signal) {
  const { page } = tab
  const ignore = () => undefined
  if (tab.isClosed || tab.isCrashed) return
  await sleep(REACTION_MS)
  const isUrgent = (/** @type {import('playwright-core').Request} */ request) =>
    !earlierRequests.has(request) && ['document', 'xhr', 'fetch', 'script'].includes(request.resourceType())
  const end = Date.now() + REQUESTS_TIMEOUT_MS
  while (Date.now() < end && !signal.aborted && !tab.isClosed && [...tab.openRequests].some(isUrgent)) await sleep(25)
  // A page that loads slowly is shown as it is.
  await page.waitForLoadState('domcontentloaded', { timeout: LOAD_TIMEOUT_MS, signal }).catch(ignore)
  await page.waitForLoadState('load', { timeout: REQUESTS_TIMEOUT_MS, signal }).catch(ignore)
}

/** @param {number} ms */
function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/**
 * Runs a script in the page and returns its value as text.
 * @param {Tab} tab
 * @param {string} script
 * @param {AbortSignal} signal
 */
export async function evaluate({ page }, script, signal) {
  const expression = `(async () => {
    const value = await ${toCall(script)}
    const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? String(value))
    return { text: text.slice(0, ${MAX_VALUE_UNITS}), totalChars: text.length }
  })()`
  /** @type {{ text?: unknown, totalChars?: unknown }} */
  const { text, totalChars } = await withTimeLimit(page.evaluate(expression), EVALUATE_TIMEOUT_MS, signal)
  return { text: String(text).slice(0, MAX_VALUE_UNITS), totalChars: Number(totalChars) }
}

/**
 * Returns an expression with the value of a script, which is an expression, a function to call, or statements.
 * @param {string} script
 */
function toCall(script) {
  try {
    // Only compiled, to find out whether the script is an expression.
    new Script(`(async () => (\n${script}\n))`)
    return `(async () => { const value = (\n${script}\n); return typeof value === 'function' ? value() : value })()`
  } catch {
    return `(async () => {\n${script}\n})()`
  }
}

/**
 * @param {Tab} tab
 * @param {Extract<BrowserAction, { type: 'screenshot' }>} action
 * @param {AbortSignal} signal
 */
export async function takeScreenshot(tab, { ref, isFullPage }, signal) {
  const options = {
    type: /** @type {const} */ ('jpeg'),
    quality: 80,
    timeout: EVALUATE_TIMEOUT_MS,
    scale: /** @type {const} */ ('css'),
  }
  if (ref !== undefined) {
    const bytes = await withTimeLimit(locate(tab, ref).screenshot(options), EVALUATE_TIMEOUT_MS, signal)
    return { base64: bytes.toString('base64'), mediaType: 'image/jpeg', isCut: false }
  }
  if (!isFullPage) {
    const bytes = await withTimeLimit(tab.page.screenshot(options), EVALUATE_TIMEOUT_MS, signal)
    return { base64: bytes.toString('base64'), mediaType: 'image/jpeg', isCut: false }
  }
  const readHeight = tab.page.evaluate('document.documentElement.scrollHeight')
  const height = Number(await withTimeLimit(readHeight, EVALUATE_TIMEOUT_MS, signal))
  const width = tab.page.viewportSize()?.width ?? 1280
  const clip = { x: 0, y: 0, width, height: Math.min(Math.max(height, 1), MAX_SCREENSHOT_HEIGHT) }
  const bytes = await withTimeLimit(
    tab.page.screenshot({ ...options, fullPage: true, clip }),
    EVALUATE_TIMEOUT_MS,
    signal,
  )
  return { base64: bytes.toString('base64'), mediaType: 'image/jpeg', isCut: height > MAX_SCREENSHOT_HEIGHT }
}
