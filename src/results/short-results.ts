import { MAX_TOOL_RESULTS_PER_MESSAGE_CHARS } from '../contract/limits.js'
import type { MessageResult } from './message-result.js'

/**
 * Results up to this length are sent as they are and not recorded, because a record costs a hash and a write for every
 * message. They still stay the same: together they are within the budget of a message, and `aboveShort` keeps a limit
 * that a tool lowers later from affecting them.
 */
const SHORT_CHARS = 1_000
/** This many short results together are within the budget of a message. */
const MAX_SHORT_RESULTS = MAX_TOOL_RESULTS_PER_MESSAGE_CHARS / SHORT_CHARS

/** Whether all results of a message are sent as they are. */
export function areShort(results: readonly MessageResult[]): boolean {
  return results.length <= MAX_SHORT_RESULTS && results.every(isShort)
}

/** The limit of a tool, but never below what counts as short. */
export function aboveShort(limit: number): number {
  return limit > 0 ? Math.max(limit, SHORT_CHARS) : limit
}

/** Blank results are not short: a text replaces them. */
function isShort({ block: { content }, maxResultSizeChars }: MessageResult): boolean {
  return (
    typeof content === 'string' && content.length <= Math.min(SHORT_CHARS, maxResultSizeChars) && content.trim() !== ''
  )
}
