import type { ToolResultBlock } from '../../contract/messages.js'
import { createPlaceholder } from '../../providers/common/block-placeholder.js'
import { toSendableResult } from '../../providers/common/sendable-request.js'
import { OPENAI_ID_RULE } from '../../providers/openai/request-body.js'

/** A tool result of OpenAI's Chat Completions API, which is always text. */
export interface OpenAIToolMessage {
  role: 'tool'
  tool_call_id: string
  content: string
}

/** Converts results to messages, one per call. The API has no error flag, so the text of a failure starts with `Error:`. */
export function toOpenAIToolMessages(results: readonly ToolResultBlock[]): OpenAIToolMessage[] {
  const sendableResults = results.map((block) => toSendableResult(block, OPENAI_ID_RULE))
  return sendableResults.map(({ tool_use_id, content, is_error }) => ({
    role: 'tool',
    tool_call_id: tool_use_id,
    content: `${is_error === true ? 'Error: ' : ''}${toText(content)}`,
  }))
}

function toText(content: ToolResultBlock['content']): string {
  if (typeof content === 'string') return content
  return content.map((block) => (block.type === 'text' ? block.text : createPlaceholder(block))).join('\n')
}
