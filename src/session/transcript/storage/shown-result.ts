import type { Tool } from '../../../contract/tool/tool.js'
import type { View } from '../../../contract/views.js'
import { isRecord } from '../../../shared/is-record.js'

/** A result as its tool shows it, so that other processes can show it without what the tool returned. */
export interface ShownResult {
  readonly view: View
  /** Whether there is more to see in the text of the result. */
  readonly isTruncated: boolean
}

/** Longer views are not recorded: the text of the result is shown instead. */
const MAX_VIEW_LENGTH = 16_000

/** Returns undefined if the tool has no view of its own, or the view fails or is too long. */
export function showResult(tool: Tool | undefined, output: unknown): ShownResult | undefined {
  if (tool?.renderToolResultMessage === undefined || output === undefined) return undefined
  try {
    const view = tool.renderToolResultMessage(output, [], { verbose: false })
    if (!isView(view) || JSON.stringify(view).length > MAX_VIEW_LENGTH) return undefined
    return { view, isTruncated: tool.isResultTruncated?.(output) === true }
  } catch {
    // The text of the result is shown instead.
    return undefined
  }
}

/** What people see of a call that the user has cancelled. */
export const INTERRUPTED = 'Interrupted'

/** What people see of a call that the user has refused; `denied` is the text of an answer without words. */
export function describeRefusal(answer: string): string {
  return answer === 'denied' ? 'You said no.' : `You said no: ${answer}`
}

/** The text of such a call for people. The text of its result is for the model. */
export function showFailure(text: string): ShownResult {
  return { view: { type: 'text', text, tone: 'warning' }, isTruncated: false }
}

/** Checks what a transcript contains. What is inside the view is checked when it is drawn. */
export function isShownResult(value: unknown): value is ShownResult {
  return isRecord(value) && isView(value.view) && typeof value.isTruncated === 'boolean'
}

function isView(value: unknown): value is View {
  return typeof value === 'string' || Array.isArray(value) || (isRecord(value) && typeof value.type === 'string')
}
