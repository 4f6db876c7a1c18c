import type { ToolResultBlock } from '../../contract/messages.js'
import { type AnthropicResultContent, toAnthropicContent } from './to-anthropic-content.js'

/** A result as Anthropic's messages take it. */
export interface AnthropicResult {
  type: 'tool_result'
  tool_use_id: string
  content: string | AnthropicResultContent[]
  is_error?: boolean
}

/** The results as blocks of one user message. What the API would refuse the message for becomes a note. */
export function toAnthropicResults(results: readonly ToolResultBlock[]): AnthropicResult[] {
  return results.map(({ tool_use_id, content, is_error }) => ({
    type: 'tool_result',
    tool_use_id,
    content: typeof content === 'string' ? content : content.map(toAnthropicContent),
    ...(is_error !== undefined && { is_error }),
  }))
}
