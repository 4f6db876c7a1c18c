import type { ToolResultBlock, ToolResultContent } from '../contract/messages.js'

/**
 * The result with another text in place of all of its own; images and documents stay where they are.
 * Doing it again changes nothing, so a history that holds the sent form gives the same bytes as one that holds the whole.
 */
export function replaceText(block: ToolResultBlock, text: string): ToolResultBlock {
  if (typeof block.content === 'string') return { ...block, content: text }
  const content: ToolResultContent[] = []
  let isPlaced = false
  for (const part of block.content) {
    if (part.type !== 'text') content.push(part)
    else if (!isPlaced) {
      content.push({ ...part, text })
      isPlaced = true
    }
  }
  return { ...block, content }
}
