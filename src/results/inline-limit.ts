import { DEFAULT_MAX_RESULT_SIZE_CHARS, MAX_TOOL_RESULT_BYTES } from '../contract/limits.js'

const MOST_BYTES_OF_A_CHAR = 3

/** Whether a tool with this `maxResultSizeChars` may send a text whole: its own limit counts characters, the common one bytes. */
export function isInlined(text: string, maxResultSizeChars: number): boolean {
  const limit = maxResultSizeChars > 0 ? maxResultSizeChars : DEFAULT_MAX_RESULT_SIZE_CHARS
  if (text.length > limit || text.length > MAX_TOOL_RESULT_BYTES) return false
  return text.length * MOST_BYTES_OF_A_CHAR <= MAX_TOOL_RESULT_BYTES || Buffer.byteLength(text) <= MAX_TOOL_RESULT_BYTES
}

/** Whether results of the tool may be written to a file; those of a tool that reads files would loop. */
export function isPersistable(maxResultSizeChars: number): boolean {
  return maxResultSizeChars !== Number.POSITIVE_INFINITY
}
