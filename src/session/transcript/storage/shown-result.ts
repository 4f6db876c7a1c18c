import type { ToolResultBlock } from '../../../contract/messages.js'
import type { Tool } from '../../../contract/tool/tool.js'
import type { View } from '../../../contract/views.js'
import { isRecord } from '../../../shared/is-record.js'

/** The view of a result as its tool rendered it, so that other processes can display it without the tool's output. */
export interface ShownResult {
  readonly view: View
  /** Whether the text of the result contains more. */
  readonly isTruncated: boolean
  /** What the tool gave for search in the transcript, if the view is truncated. */
  readonly searchText?: string
  /** Whether the call was refused. */
  readonly isRefused?: boolean
}

/** Longer views are not recorded: the text of the result is shown instead. */
const MAX_VIEW_LENGTH = 16_000
/** Longer texts are not recorded: the text of the result is searched instead. */
const MAX_SEARCH_LENGTH = 4_000

/** Renders a result. Returns undefined if the tool has no view of its own, or the view fails or is too long. */
export function showResult(tool: Tool | undefined, output: unknown): ShownResult | undefined {
  if (tool?.renderToolResultMessage === undefined || output === undefined) return undefined
  try {
    const view = tool.renderToolResultMessage(output, [], { verbose: false })
    if (!isView(view) || JSON.stringify(view).length > MAX_VIEW_LENGTH) return undefined
    if (tool.isResultTruncated?.(output) !== true) return { view, isTruncated: false }
    const searchText = tool.extractSearchText?.(output)
    const isRecorded = typeof searchText === 'string' && searchText.length <= MAX_SEARCH_LENGTH
    return { view, isTruncated: true, ...(isRecorded && { searchText }) }
  } catch {
    // The text of the result is shown instead.
    return undefined
  }
}

/** The text that is displayed for a call that the user has cancelled. */
export const INTERRUPTED = 'Interrupted by you'

/**
 * Returns the text that is displayed for a call that the user has refused. The answer is `denied` if the user gave no reason.
 */
export function describeRefusal(answer: string): string {
  return answer === 'denied' ? 'You said no.' : `You said no: ${answer}`
}

/** Creates the view of a cancelled call. The text of its result is written for the model. */
export function showCancellation(): ShownResult {
  return showWarning(INTERRUPTED)
}

/** Creates the view of a call that the user, or a rule if `answer` is undefined, has refused. */
export function showRefusal(answer: string | undefined, result: ToolResultBlock): ShownResult | undefined {
  const text = answer === undefined ? result.content : describeRefusal(answer)
  if (typeof text !== 'string' || text.length > MAX_VIEW_LENGTH) return undefined
  return { ...showWarning(text), isRefused: true }
}

function showWarning(text: string): ShownResult {
  return { view: { type: 'text', text, tone: 'warning' }, isTruncated: false }
}

/** Checks a view from a transcript. The parts inside the view are checked when it is drawn. */
export function isShownResult(value: unknown): value is ShownResult {
  if (!isRecord(value) || !isView(value.view) || typeof value.isTruncated !== 'boolean') return false
  return value.searchText === undefined || typeof value.searchText === 'string'
}

function isView(value: unknown): value is View {
  return typeof value === 'string' || Array.isArray(value) || (isRecord(value) && typeof value.type === 'string')
}
