import type { DocumentBlock, ImageBlock, ToolReferenceBlock } from '../../contract/messages.js'

/** Stands in a text for something that an API cannot take at this place. */
export function blockNote(block: ImageBlock | DocumentBlock | ToolReferenceBlock): string {
  if (block.type === 'tool_reference') return `[tool ${block.tool_name}]`
  const { source } = block
  return source.type === 'url'
    ? `[${block.type} at ${source.url}]`
    : `[${block.type}, ${source.media_type}, which cannot be shown here]`
}
