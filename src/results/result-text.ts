import type { ToolResultBlock } from '../contract/messages.js'

/** All text of a result, one block after the other; images and documents have none. */
export function resultText({ content }: ToolResultBlock): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

/** Characters of the text of a result: what thresholds and budgets count. */
export function resultChars(block: ToolResultBlock): number {
  return typeof block.content === 'string' ? block.content.length : resultText(block).length
}
