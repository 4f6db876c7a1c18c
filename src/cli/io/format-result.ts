import type { ToolResultBlock, ToolResultContent } from '../../contract/messages.js'

/** Returns the text of a result. Other content is replaced with a placeholder. */
export function formatResult({ content }: ToolResultBlock): string {
  const text = typeof content === 'string' ? content : content.map(formatPart).join('\n')
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

function formatPart(part: ToolResultContent): string {
  if (part.type === 'text') return part.text
  if (part.type === 'tool_reference') return `[tool ${part.tool_name}]`
  const { source } = part
  return source.type === 'url' ? `[${part.type} ${source.url}]` : `[${part.type} ${source.media_type}]`
}

/** Formats a result as a line of JSON. `is_error` is only included if true. */
export function formatResultLine({ tool_use_id, content, is_error }: ToolResultBlock): string {
  return `${JSON.stringify({ type: 'tool_result', tool_use_id, content, ...(is_error === true && { is_error }) })}\n`
}
