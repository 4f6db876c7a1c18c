import type { ToolResultBlock, ToolResultContent } from '../contract/messages.js'

/** One result of a user message, on its way to the model. */
export interface MessageResult {
  /** As the tool gave it. */
  readonly block: ToolResultBlock
  /** What its tool lets through whole; Infinity where it is never written to a file. */
  readonly maxResultSizeChars: number
  /** The text that is sent in place of the block's own; left out where that is sent whole. */
  readonly replacement?: string
  /** The model has it already, so nothing about it can change. */
  readonly isSent?: true
}

/** The block that the model gets. */
export function sentBlock({ block, replacement }: MessageResult): ToolResultBlock {
  return replacement === undefined ? block : replaceText(block, replacement)
}

/** Characters that the model gets. */
export function sentChars({ block, replacement }: MessageResult): number {
  return replacement === undefined ? resultChars(block) : replacement.length
}

/** All text of a result, one block after the other; images and documents have none. */
export function resultText({ content }: ToolResultBlock): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

/** Characters of the text of a result: what thresholds and budgets count. */
export function resultChars(block: ToolResultBlock): number {
  return typeof block.content === 'string' ? block.content.length : resultText(block).length
}

/**
 * The result with another text in place of all of its own; images and documents stay where they are.
 * Doing it again changes nothing, so a history that holds the sent form gives the same bytes as one that holds the whole.
 */
function replaceText(block: ToolResultBlock, text: string): ToolResultBlock {
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

/** An empty result in words: a model that is handed nothing tends to stop short. */
export function sayEmpty(block: ToolResultBlock): ToolResultBlock {
  const { content } = block
  if (typeof content !== 'string' && content.some(({ type }) => type !== 'text')) return block
  const text = resultText(block)
  if (/\S/.test(text)) return block
  const outcome = block.is_error === true ? 'The call failed' : 'The call succeeded'
  const output = text === '' ? 'gave no output' : 'its output is only white space'
  return { ...block, content: `(${outcome} and ${output}.)` }
}
