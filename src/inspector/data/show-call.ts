import type { ToolResultBlock } from '../../contract/messages.js'
import type { Tool } from '../../contract/tool/tool.js'
import type { View } from '../../contract/views.js'
import { cutText } from '../../shared/cut-text.js'
import { type CallState, describeCall } from '../../views/call-view.js'
import type { CheckpointDetail } from '../workbench.js'
import type { CallDetail } from './call-details.js'

/** A call as the page shows it. */
export interface ShownCall {
  readonly title: View
  readonly body: View | undefined
  readonly isTruncated: boolean
  /** JSON, cut if it is long. */
  readonly input: string
  readonly result: string
  readonly trace: CallDetail['trace']
  readonly checkpoint: CheckpointDetail | undefined
}

const MAX_TEXT_LENGTH = 200_000

/** Describes a call with the views that the terminal shows. */
export function showCall(
  detail: CallDetail,
  tool: Tool | undefined,
  checkpoint: CheckpointDetail | undefined,
): ShownCall {
  const { row, input, result, shown, trace } = detail
  const resultText = textOf(result)
  const { title, body, isTruncated } = describeCall(
    { toolName: row.tool, tool, toolUseId: row.id, state: stateOf(detail), input, shown, resultText },
    { verbose: false },
  )
  const inputText = JSON.stringify(input, undefined, 2) ?? ''
  return {
    ...{ title, body, isTruncated, trace, checkpoint },
    input: cutText(inputText, MAX_TEXT_LENGTH),
    result: cutText(resultText, MAX_TEXT_LENGTH),
  }
}

function stateOf({ row, result, shown }: CallDetail): CallState {
  if (row.endedAt === undefined)
    return row.askedAt !== undefined && row.answeredAt === undefined ? 'waiting-for-permission' : 'running'
  if (shown?.isRefused === true) return 'rejected'
  return row.errorCode !== undefined || result?.is_error === true ? 'failed' : 'done'
}

function textOf(result: ToolResultBlock | undefined): string {
  if (result === undefined) return ''
  if (typeof result.content === 'string') return result.content
  return result.content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')
}
