import type { ToolResultBlock } from '../contract/messages.js'
import { replaceText } from './replace-text.js'
import { resultChars } from './result-text.js'

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
