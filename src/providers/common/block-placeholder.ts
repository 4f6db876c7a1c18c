import type { DocumentBlock, ImageBlock, ToolReferenceBlock } from '../../contract/messages.js'

/** Describes a block that the API does not accept in this position, as text. */
export function createPlaceholder(block: ImageBlock | DocumentBlock | ToolReferenceBlock): string {
  if (block.type === 'tool_reference') return `[tool ${block.tool_name}]`
  const { source } = block
  return source.type === 'url'
    ? `[${block.type} at ${source.url}]`
    : `[${block.type} of type ${source.media_type}: cannot be shown here]`
}
