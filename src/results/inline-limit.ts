import { DEFAULT_MAX_RESULT_SIZE_CHARS, MAX_TOOL_RESULT_BYTES } from '../contract/limits.js'

/** Characters that a tool with this `maxResultSizeChars` may send whole. */
export function inlineLimit(maxResultSizeChars: number): number {
  if (!(maxResultSizeChars > 0)) return DEFAULT_MAX_RESULT_SIZE_CHARS
  return Math.min(maxResultSizeChars, MAX_TOOL_RESULT_BYTES)
}

/** Whether results of the tool may be written to a file; those of a tool that reads files would loop. */
export function isPersistable(maxResultSizeChars: number): boolean {
  return maxResultSizeChars !== Number.POSITIVE_INFINITY
}
