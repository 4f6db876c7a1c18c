/** Characters of a tool's result that are inlined where the tool sets no `maxResultSizeChars`. */
export const DEFAULT_MAX_RESULT_SIZE_CHARS = 50_000

export const MAX_TOOL_RESULT_TOKENS = 100_000
export const BYTES_PER_TOKEN = 4

/** The most that is ever inlined, for any tool. */
export const MAX_TOOL_RESULT_BYTES = MAX_TOOL_RESULT_TOKENS * BYTES_PER_TOKEN

/** Characters of all results in one user message; beyond it the largest are persisted first. */
export const MAX_TOOL_RESULTS_PER_MESSAGE_CHARS = 200_000

export const TOOL_SUMMARY_MAX_LENGTH = 50

export const PREVIEW_HEAD_CHARS = 1_500
export const PREVIEW_TAIL_CHARS = 500
export const PREVIEW_CHARS = PREVIEW_HEAD_CHARS + PREVIEW_TAIL_CHARS

/** Bytes of output kept on disk; then the command is stopped. */
export const MAX_SPILL_BYTES = 2 * 1024 ** 3

export const BASH_MAX_RESULT_SIZE_CHARS = 30_000
export const SKILL_MAX_RESULT_SIZE_CHARS = 100_000
export const GLOB_MAX_RESULT_SIZE_CHARS = 100_000

/** A read result is never persisted: reading it back would loop. */
export const READ_MAX_RESULT_SIZE_CHARS = Number.POSITIVE_INFINITY
