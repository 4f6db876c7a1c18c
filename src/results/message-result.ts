import { MAX_TOOL_RESULTS_PER_MESSAGE_CHARS } from '../contract/limits.js'
import type { ToolResultBlock, ToolResultContent } from '../contract/messages.js'

/** One tool result of a user message. */
export interface MessageResult {
  /** As returned by the tool; an empty result may be replaced by a description. */
  readonly block: ToolResultBlock
  /** The limit of its tool; Infinity if its results are never written to a file. */
  readonly maxResultSizeChars: number
  /** Characters of the preview of a longer result; `PREVIEW_CHARS` if left out. */
  readonly previewChars?: number | undefined
  /** The text sent instead of the content; left out if the content is sent whole. */
  readonly replacement?: string
  /** Whether the result was already sent to the model, so that it cannot change. */
  readonly isSent?: true
}

/** Returns the block that is sent to the model. */
export function toSentBlock({ block, replacement }: MessageResult): ToolResultBlock {
  return replacement === undefined ? block : replaceText(block, replacement)
}

/** Counts the text characters of a result that are sent to the model. */
export function sentChars({ block, replacement }: MessageResult): number {
  return replacement === undefined ? countResultChars(block) : replacement.length
}

/** Returns the text blocks of a result, joined; images and documents have no text. */
export function readResultText({ content }: ToolResultBlock): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

/** Counts the text characters of a whole result. Limits and budgets are in these characters. */
export function countResultChars(block: ToolResultBlock): number {
  return typeof block.content === 'string' ? block.content.length : readResultText(block).length
}

/**
 * Replaces the text of a result; images and documents stay. Idempotent, so a history with the sent form yields the same
 * bytes as one with the whole text.
 */
function replaceText(block: ToolResultBlock, text: string): ToolResultBlock {
  if (typeof block.content === 'string') return { ...block, content: text }
  const content: ToolResultContent[] = []
  let hasNewText = false
  for (const part of block.content) {
    if (part.type !== 'text') content.push(part)
    else if (!hasNewText) {
      content.push({ ...part, text })
      hasNewText = true
    }
  }
  return { ...block, content }
}

/** Describes an empty result, because models tend to stop after an empty one. */
export function describeEmptyResult(block: ToolResultBlock): ToolResultBlock {
  const { content } = block
  if (typeof content !== 'string' && content.some(({ type }) => type !== 'text')) return block
  const text = readResultText(block)
  if (/\S/.test(text)) return block
  const outcome = block.is_error === true ? 'The call failed' : 'The call succeeded'
  const output = text === '' ? 'had no output' : 'its output is only white space'
  return { ...block, content: `(${outcome} and ${output}.)` }
}

/**
 * Results up to this length are sent as they are and not recorded, because a record costs a hash and a write for every
 * message. Later requests still repeat them unchanged: together they are within the budget of a message, and
 * `raiseLimitToShort` ensures that a limit which a tool lowers later does not affect them.
 */
const MAX_SHORT_CHARS = 1_000
/** This many short results together are within the budget of a message. */
const MAX_SHORT_RESULTS = MAX_TOOL_RESULTS_PER_MESSAGE_CHARS / MAX_SHORT_CHARS

/** Whether all results of a message are short, so that they are sent as they are. */
export function areResultsShort(results: readonly MessageResult[]): boolean {
  return results.length <= MAX_SHORT_RESULTS && results.every(isShort)
}

/** Raises a limit to the length that counts as short. An invalid limit, which means the default, stays as it is. */
export function raiseLimitToShort(limit: number): number {
  return limit > 0 ? Math.max(limit, MAX_SHORT_CHARS) : limit
}

/** Whether a result is short. Blank results do not count as short, because a description replaces them. */
function isShort({ block: { content }, maxResultSizeChars }: MessageResult): boolean {
  return (
    typeof content === 'string' &&
    content.length <= Math.min(MAX_SHORT_CHARS, maxResultSizeChars) &&
    content.trim() !== ''
  )
}
