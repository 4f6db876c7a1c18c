import { resolve } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import type { BrowserOutcome, BrowserPort } from '../../contract/ports/browser.js'
import { isFileError } from '../../contract/ports/file-error.js'
import type { FilesPort } from '../../contract/ports/files.js'
import type { Resource } from '../../contract/resources.js'
import { lazySchema } from '../../contract/schema.js'
import { buildTool } from '../../contract/tool/build-tool.js'
import type { CanUseTool, ToolContext } from '../../contract/tool/tool.js'
import { collapsible, image, inline, text } from '../../contract/view-builders.js'
import { shortenText } from '../../shared/cut-text.js'
import { describeOutput, limitOutcome, toContent } from './describe-output.js'
import { prompt } from './prompt.js'
import {
  inputSchema,
  outputSchema,
  type WebBrowserActionName,
  type WebBrowserInput,
  type WebBrowserOutput,
} from './schema.js'
import { findInputProblem, toAction } from './to-action.js'

/** Longer than the limits of all steps of an action, and of the start of the browser. */
const TIME_LIMIT_MS = 180_000
/** How often a page may move to another site while it is opened. */
const MAX_MOVES = 3

/** All actions of an agent use its tabs, so they run in order. */
const TABS: Resource = { thing: 'browser:tabs' }

/** Actions that neither show a page nor act on one. */
const PAGELESS_ACTIONS: ReadonlySet<WebBrowserActionName> = new Set(['tabs', 'close_tab', 'downloads'])
/** Actions that only show an open page. */
const READING_ACTIONS: ReadonlySet<WebBrowserActionName> = new Set([
  ...(['snapshot', 'screenshot', 'console', 'network', 'wait', 'switch_tab'] as const),
])
const READS: ReadonlySet<WebBrowserActionName> = new Set([
  ...PAGELESS_ACTIONS,
  ...READING_ACTIONS,
  'navigate',
  'back',
  'forward',
])

type Context = ToolContext<'browser' | 'files'>

export const WebBrowserTool = buildTool({
  name: 'WebBrowser',
  searchHint: 'drive a real browser: click, type, screenshot',
  needs: ['browser', 'files'],
  shouldDefer: true,
  description: 'Drives a real browser',
  prompt,
  maxResultSizeChars: 50_000,

  inputSchema: lazySchema(inputSchema),
  outputSchema: lazySchema(outputSchema),

  isReadOnly: ({ action }) => READS.has(action),
  isConcurrencySafe: () => false,
  isOpenWorld: () => true,
  interruptBehavior: () => 'cancel',
  timeoutMs: () => TIME_LIMIT_MS,
  resources({ action, path = '', paths = [] }) {
    // The content of the download is already on this machine.
    if (action === 'save_download') return { writes: [{ path }], isAll: true }
    return { reads: action === 'upload' ? paths.map((file) => ({ path: file })) : [], writes: [TABS], network: true }
  },
  validateInput(input) {
    const problem = findInputProblem(input)
    return problem === undefined ? { result: true } : { result: false, errorCode: 1, message: problem }
  },
  async getWebTarget({ action, url = '', tab }, { browser, agentId: agent, signal }) {
    if (action === 'navigate') return { url }
    if (PAGELESS_ACTIONS.has(action) || action === 'save_download') return undefined
    const location = await browser.locate({ agent, signal, tab: action === 'switch_tab' ? tab : undefined })
    if (location === undefined) return undefined
    return { url: location.url, action: action === 'evaluate' || action === 'upload' ? action : undefined }
  },
  async checkPermissions({ action, tab }, { browser, agentId: agent, signal }) {
    if (PAGELESS_ACTIONS.has(action)) return { behavior: 'allow' }
    if (action === 'navigate' || action === 'save_download') return { behavior: 'passthrough' }
    const location = await browser.locate({ agent, signal, tab: action === 'switch_tab' ? tab : undefined })
    // Without a page, the call can only fail. A page that was already shown may be shown again.
    const isHarmless = location === undefined || (READING_ACTIONS.has(action) && location.isShown)
    return { behavior: isHarmless ? 'allow' : 'passthrough' }
  },
  // The classifier sees only the input, which the model wrote, and nothing that a page wrote.
  toAutoClassifierInput: (input) => ({ ...input }),

  async call(input, context, canUseTool) {
    if (input.action === 'save_download') return { data: await saveDownload(input, context) }
    const { browser, agentId: agent, signal } = context
    const action = await toAction(input, context)
    const outcome = await browser.act(action, { agent, signal, permittedUrl: context.judgedUrl })
    const { outcome: last, refusal } = await followToSite(outcome, context, canUseTool)
    const output = { ...last, isPerformed: outcome.isPerformed, ...(refusal !== undefined && { refusal }) }
    return { data: await toOutput(output) }
  },

  mapToolResultToToolResultBlockParam: (output, toolUseId) => ({
    type: 'tool_result',
    tool_use_id: toolUseId,
    content: toContent(output),
  }),

  getActivityDescription: (input) => `Browsing: ${summarise(input) || 'a page'}`,
  getToolUseSummary: (input) => summarise(input) || null,
  renderToolUseMessage: (input) => {
    const { action, ...details } = input
    if (typeof action !== 'string') return ''
    return inline(text(action), text(` ${shortenText(describeDetails(details), 200)}`, 'muted'))
  },
  renderToolResultMessage: (output) => {
    if (output.image !== undefined) return image(output.tab?.url ?? 'page', output.image.mediaType, output.image.base64)
    return collapsible(summariseOutput(output), text(describeOutput(output)))
  },
  isResultTruncated: () => true,
  extractSearchText: (output) => (output.image === undefined ? describeOutput(output) : ''),
})

/** Asks for permission to see a site that a page led to, and shows its page. */
async function followToSite(
  firstOutcome: BrowserOutcome,
  context: Context,
  canUseTool: CanUseTool,
): Promise<{ readonly outcome: BrowserOutcome; readonly refusal?: WebBrowserOutput['refusal'] }> {
  const { browser, agentId: agent, signal } = context
  let outcome = firstOutcome
  for (let moves = 0; outcome.movedTo !== undefined; moves++) {
    const url = outcome.movedTo
    if (moves === MAX_MOVES) return { outcome, refusal: { url, message: 'the page keeps navigating to other sites.' } }
    const decision = await canUseTool(WebBrowserTool, { action: 'snapshot' })
    if (decision.behavior === 'deny') return { outcome, refusal: { url, message: decision.message } }
    // `judgedUrl` is now the URL of the nested decision.
    const permittedUrl = context.judgedUrl
    const next = await browser.act({ type: 'snapshot', isWhole: false }, { agent, signal, permittedUrl })
    outcome = {
      ...next,
      notes: [...outcome.notes, ...next.notes],
      downloads: [...outcome.downloads, ...next.downloads],
    }
  }
  return { outcome }
}

async function saveDownload(
  { download = '', path: writtenPath = '' }: WebBrowserInput,
  {
    browser,
    files,
    cwd,
    agentId: agent,
    signal,
  }: Pick<Context, 'cwd' | 'agentId' | 'signal'> & {
    readonly browser: BrowserPort
    readonly files: FilesPort
  },
): Promise<WebBrowserOutput> {
  const path = resolve(cwd, writtenPath)
  const { content } = await browser.readDownload(download, { agent, signal })
  try {
    await files.write(path, content, { expected: 'absent' })
  } catch (cause) {
    if (!isFileError(cause) || (cause.code !== 'exists' && cause.code !== 'changed')) throw cause
    const message = `${path} exists already. A download does not replace a file: choose another path.`
    throw new ToolCallError('tool_failed', message, { cause })
  }
  await browser.forgetDownload(download, { agent, signal })
  return { isPerformed: true, downloads: [], notes: [], saved: { path, bytes: content.length } }
}

async function toOutput({
  movedTo: _movedTo,
  log,
  value,
  image: screenshot,
  ...outcome
}: BrowserOutcome & Pick<WebBrowserOutput, 'refusal'>): Promise<WebBrowserOutput> {
  const { snapshot, tab, tabs, dialog, ...rest } = outcome
  const fittedImage = screenshot && (await fitScreenshot(screenshot))
  return {
    ...rest,
    ...limitOutcome({ log, ...(value !== undefined && { value: { ...value } }) }),
    ...(snapshot !== undefined && { snapshot: { ...snapshot } }),
    ...(tab !== undefined && { tab: { ...tab } }),
    ...(tabs !== undefined && { tabs: tabs.map((shownTab) => ({ ...shownTab })) }),
    ...(dialog !== undefined && { dialog: { ...dialog } }),
    ...(fittedImage !== undefined && { image: fittedImage }),
    downloads: outcome.downloads.map((download) => ({ ...download })),
    notes: [...outcome.notes],
  }
}

async function fitScreenshot({ base64, isCut }: NonNullable<BrowserOutcome['image']>) {
  const { fitImage } = await import('../documents/fit-image.js')
  const fittedImage = await fitImage(Buffer.from(base64, 'base64'), 'image/jpeg', 'The screenshot')
  return { base64: fittedImage.base64, mediaType: fittedImage.mediaType, isCut }
}

function summarise(input: Partial<WebBrowserInput> | undefined): string {
  if (typeof input?.action !== 'string') return ''
  const detail = typeof input.url === 'string' && URL.canParse(input.url) ? new URL(input.url).host : (input.ref ?? '')
  return `${input.action} ${shortenText(String(detail), 60)}`.trim()
}

function describeDetails(details: Readonly<Record<string, unknown>>): string {
  return Object.values(details)
    .filter((value) => value !== undefined)
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join(' ')
}

function summariseOutput({ saved, refusal, snapshot, tab, log, value }: WebBrowserOutput): string {
  if (saved !== undefined) return `Saved ${saved.path}`
  if (refusal !== undefined) return 'The page led to another site'
  if (log !== undefined) return `${log.lines.length} entries`
  if (value !== undefined) return 'Ran the script'
  const page = tab === undefined ? 'No page' : tab.title || tab.url
  return snapshot?.kind === 'unchanged' ? `${page}: unchanged` : page
}
