import { MAX_TOOL_RESULTS_PER_MESSAGE_CHARS } from '../contract/limits.js'
import type { MessageResult } from './message-result.js'

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

/** Blank results do not count as short, because a description replaces them. */
function isShort({ block: { content }, maxResultSizeChars }: MessageResult): boolean {
  return (
    typeof content === 'string' &&
    content.length <= Math.min(MAX_SHORT_CHARS, maxResultSizeChars) &&
    content.trim() !== ''
  )
}
