import type { ToolResultBlock } from '../../contract/messages.js'
import type { ModelRequest } from '../../contract/model.js'

/** The results that a request brings, in the order of the calls; what is no text in them is left out. */
export function resultsOf({ messages }: ModelRequest): { id: string; text: string; isError: boolean }[] {
  const last = messages.at(-1)
  if (last === undefined || last.type !== 'user' || typeof last.content === 'string') return []
  return last.content
    .filter((block) => block.type === 'tool_result')
    .map(({ tool_use_id, content, is_error }) => ({
      id: tool_use_id,
      text: textOf(content),
      isError: is_error === true,
    }))
}

function textOf(content: ToolResultBlock['content']): string {
  if (typeof content === 'string') return content
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}
