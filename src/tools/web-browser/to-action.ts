import { basename, resolve } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import type { BrowserAction } from '../../contract/ports/browser.js'
import type { FilesPort } from '../../contract/ports/files.js'
import { findPathProblem } from '../../shared/path-problem.js'
import { quote } from '../../shared/quote.js'
import type { WebBrowserActionName, WebBrowserInput } from './schema.js'

const DEFAULT_WAIT_SECONDS = 10
const MAX_UPLOAD_BYTES = 50 * 1024 ** 2

/** The fields that each action requires. */
const REQUIRED_FIELDS: Readonly<Partial<Record<WebBrowserActionName, readonly (keyof WebBrowserInput)[]>>> = {
  navigate: ['url'],
  click: ['ref'],
  hover: ['ref'],
  type: ['ref', 'text'],
  fill: ['fields'],
  press: ['key'],
  select: ['ref', 'values'],
  upload: ['paths'],
  evaluate: ['script'],
  switch_tab: ['tab'],
  close_tab: ['tab'],
  save_download: ['download', 'path'],
}

/** Returns what is wrong with an input that matches the schema, and what to write instead. */
export function findInputProblem(input: WebBrowserInput): string | undefined {
  const missingFields = (REQUIRED_FIELDS[input.action] ?? []).filter((name) => input[name] === undefined)
  if (missingFields.length > 0) return `The action ${input.action} needs ${missingFields.join(' and ')}.`
  if (input.action === 'navigate') return findUrlProblem(input.url ?? '')
  if (input.action === 'save_download') return findPathProblem(input.path ?? '')
  if (input.action === 'upload') return input.paths?.map(findPathProblem).find((problem) => problem !== undefined)
  if (input.action === 'wait' && input.text !== undefined && input.gone_text !== undefined)
    return 'Wait either for text or for gone_text, not for both.'
  return undefined
}

function findUrlProblem(url: string): string | undefined {
  if (!URL.canParse(url))
    return `${quote(url)} is not a valid URL. Write it in full, for example https://example.com/page.`
  const { protocol, username, password } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:')
    return `Only http and https pages can be opened, not ${quote(protocol)}. To read a file, use a file tool.`
  if (username !== '' || password !== '') return 'Remove the user name and password from the URL.'
  return undefined
}

/** Converts an input to a browser action. Reads the files to upload. */
export async function toAction(
  input: WebBrowserInput,
  { files, cwd, signal }: { readonly files: FilesPort; readonly cwd: string; readonly signal: AbortSignal },
): Promise<BrowserAction> {
  const { action, ref, text, tab = '', filter } = input
  const isSubmitted = input.submit === true
  switch (action) {
    case 'navigate':
      return { type: 'navigate', url: input.url ?? '', isInNewTab: input.new_tab === true }
    case 'back':
    case 'forward':
    case 'reload':
    case 'tabs':
    case 'downloads':
      return { type: action }
    case 'snapshot':
      return { type: 'snapshot', ref, isWhole: input.whole === true }
    case 'click':
      return { type: 'click', ref: ref ?? '', isDouble: input.double === true }
    case 'hover':
      return { type: 'hover', ref: ref ?? '' }
    case 'type':
      return { type: 'fill', fields: [{ ref: ref ?? '', value: text ?? '' }], isSubmitted }
    case 'fill':
      return { type: 'fill', fields: input.fields ?? [], isSubmitted }
    case 'press':
      return { type: 'press', key: input.key ?? '', ref }
    case 'select':
      return { type: 'select', ref: ref ?? '', values: input.values ?? [] }
    case 'upload':
      return { type: 'upload', ref, files: await readFiles(input.paths ?? [], files, cwd, signal) }
    case 'wait':
      return { type: 'wait', text, goneText: input.gone_text, seconds: input.seconds ?? DEFAULT_WAIT_SECONDS }
    case 'dialog':
      return { type: 'dialog', isAccepted: input.accept !== false, text }
    case 'evaluate':
      return { type: 'evaluate', script: input.script ?? '' }
    case 'screenshot':
      return { type: 'screenshot', ref, isFullPage: input.full_page === true }
    case 'console':
    case 'network':
      return { type: action, filter }
    case 'switch_tab':
    case 'close_tab':
      return { type: action, tab }
    case 'save_download':
      throw new ToolCallError('tool_failed', 'A download is saved without an action of the browser.')
  }
}

async function readFiles(paths: readonly string[], files: FilesPort, cwd: string, signal: AbortSignal) {
  const contents: { readonly name: string; readonly content: Uint8Array }[] = []
  let totalBytes = 0
  for (const path of paths) {
    const absolutePath = resolve(cwd, path)
    const { content } = await files.read(absolutePath, { signal, maxBytes: MAX_UPLOAD_BYTES })
    totalBytes += content.length
    if (totalBytes > MAX_UPLOAD_BYTES)
      throw new ToolCallError('tool_failed', `The files are larger than ${MAX_UPLOAD_BYTES / 1024 ** 2} MB together.`)
    contents.push({ name: basename(absolutePath), content })
  }
  return contents
}
