import type { Message, ToolResultBlock, ToolUseBlock, UserMessage } from '../../contract/messages.js'
import type { RunStop, StartedRun } from '../../contract/runtime.js'
import { reasonOf } from '../../shared/reason-of.js'
import { toolMessage } from '../messages/tool-message.js'

/** What calls came to, ready for the conversation. */
export interface CallAnswers {
  readonly results: readonly ToolResultBlock[]
  /** The results in one message, then what the calls add. */
  readonly messages: readonly Message[]
  readonly stopped: RunStop | undefined
}

/** Waits for the calls of a message; each has exactly one result, in their order, whatever became of the run. */
export async function answerCalls(calls: readonly ToolUseBlock[], run: StartedRun): Promise<CallAnswers> {
  let given: readonly ToolResultBlock[] = []
  let lost = 'The call was cancelled before it began.'
  try {
    given = await run.results
  } catch (error) {
    lost = `The result of this call was lost: ${reasonOf(error)}`
  }
  const byId = new Map(given.map((result) => [result.tool_use_id, result]))
  const results = calls.map(({ id }) => byId.get(id) ?? failure(id, lost))
  const added = await run.newMessages
  const message: UserMessage = { type: 'user', content: results }
  return { results, messages: [message, ...added.map(toolMessage)], stopped: await run.stopped }
}

function failure(id: string, content: string): ToolResultBlock {
  return { type: 'tool_result', tool_use_id: id, content, is_error: true }
}
