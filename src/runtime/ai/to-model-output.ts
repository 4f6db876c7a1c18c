import type { ToolResultBlock, ToolResultContent } from '../../contract/messages.js'
import { createPlaceholder } from '../../providers/common/block-placeholder.js'

type AiContent =
  | { type: 'text'; text: string }
  | { type: 'image-data'; data: string; mediaType: string }
  | { type: 'image-url'; url: string }
  | { type: 'file-data'; data: string; mediaType: string; filename?: string }
  | { type: 'file-url'; url: string }

/** A tool result in the format of the AI SDK. */
export type AiModelOutput = { type: 'text' | 'error-text'; value: string } | { type: 'content'; value: AiContent[] }

export function toModelOutput({ content, is_error }: ToolResultBlock): AiModelOutput {
  if (is_error === true) return { type: 'error-text', value: toPlainText(content) }
  if (typeof content === 'string') return { type: 'text', value: content }
  return { type: 'content', value: content.map(toAiContent) }
}

/** Returns the text of a result, with a placeholder for each block that is not text. */
export function toPlainText(content: ToolResultBlock['content']): string {
  if (typeof content === 'string') return content
  return content.map((block) => (block.type === 'text' ? block.text : createPlaceholder(block))).join('\n')
}

function toAiContent(block: ToolResultContent): AiContent {
  if (block.type === 'text') return { type: 'text', text: block.text }
  if (block.type === 'tool_reference') return { type: 'text', text: createPlaceholder(block) }
  const { source } = block
  const kind = block.type === 'image' ? 'image' : 'file'
  if (source.type === 'url') return { type: `${kind}-url`, url: source.url }
  const data = { data: source.data, mediaType: source.media_type }
  if (block.type === 'image') return { type: 'image-data', ...data }
  return { type: 'file-data', ...data, ...(block.title !== undefined && { filename: block.title }) }
}
