import type { ToolResultBlock, ToolResultContent } from '../../../contract/messages.js'

/** What a person reads of a result; what is no text is named. */
export function resultText({ content }: ToolResultBlock): string {
  const text = typeof content === 'string' ? content : content.map(partText).join('\n')
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

function partText(part: ToolResultContent): string {
  if (part.type === 'text') return part.text
  if (part.type === 'tool_reference') return `[tool ${part.tool_name}]`
  const { source } = part
  return source.type === 'url' ? `[${part.type} ${source.url}]` : `[${part.type} ${source.media_type}]`
}
