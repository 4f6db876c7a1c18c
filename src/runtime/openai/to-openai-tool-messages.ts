import type { ToolResultBlock } from '../../contract/messages.js'
import { blockPlaceholder } from '../../providers/common/block-placeholder.js'

/** A result as OpenAI's chat completions take it: text alone. */
export interface OpenAIToolMessage {
  role: 'tool'
  tool_call_id: string
  content: string
}

/** The results as messages, one for each call. There is no flag for a failure, so that the text says it. */
export function toOpenAIToolMessages(results: readonly ToolResultBlock[]): OpenAIToolMessage[] {
  return results.map(({ tool_use_id, content, is_error }) => ({
    role: 'tool',
    tool_call_id: tool_use_id,
    content: `${is_error === true ? 'Error: ' : ''}${textOf(content)}`,
  }))
}

function textOf(content: ToolResultBlock['content']): string {
  if (typeof content === 'string') return content
  return content.map((block) => (block.type === 'text' ? block.text : blockPlaceholder(block))).join('\n')
}
