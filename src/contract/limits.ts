/** Default of `maxResultSizeChars`: a longer result is written to a file and previewed. */
export const DEFAULT_MAX_RESULT_SIZE_CHARS = 50_000

/** Maximum size of one result in tokens, for any tool. */
export const MAX_TOOL_RESULT_TOKENS = 100_000
/** Rough estimate for converting tokens to bytes. */
export const BYTES_PER_TOKEN = 4

/** Maximum size of one result in bytes, for any tool. */
export const MAX_TOOL_RESULT_BYTES = MAX_TOOL_RESULT_TOKENS * BYTES_PER_TOKEN

/** Maximum size of all results in one user message. Beyond it, the largest results are written to files first. */
export const MAX_TOOL_RESULTS_PER_MESSAGE_CHARS = 200_000

/** Maximum length of the summary of a call. */
export const TOOL_SUMMARY_MAX_LENGTH = 50

/** Characters of a long result that a preview shows from its start. */
export const PREVIEW_HEAD_CHARS = 1_500
/** Characters of a long result that a preview shows from its end. */
export const PREVIEW_TAIL_CHARS = 500
/** Characters of a long result that a preview shows in total. */
export const PREVIEW_CHARS = PREVIEW_HEAD_CHARS + PREVIEW_TAIL_CHARS

/** Characters that a preview of a command's output shows from its start: errors and summaries need more than other texts. */
export const COMMAND_PREVIEW_HEAD_CHARS = 6_000
/** Characters that a preview of a command's output shows from its end. */
export const COMMAND_PREVIEW_TAIL_CHARS = 2_000
/** Characters that a preview of a command's output shows in total. */
export const COMMAND_PREVIEW_CHARS = COMMAND_PREVIEW_HEAD_CHARS + COMMAND_PREVIEW_TAIL_CHARS

/** Maximum output of a command on disk. A command that prints more is stopped. */
export const MAX_SPILL_BYTES = 2 * 1024 ** 3
/** Maximum output of all commands of a session on disk. */
export const MAX_SESSION_SPILL_BYTES = 4 * 1024 ** 3
/** How many commands run in the background at the same time. */
export const MAX_BACKGROUND_COMMANDS = 32

/** `maxResultSizeChars` of Bash. */
export const BASH_MAX_RESULT_SIZE_CHARS = 30_000
/** `maxResultSizeChars` of Skill. */
export const SKILL_MAX_RESULT_SIZE_CHARS = 100_000
/** `maxResultSizeChars` of Glob. */
export const GLOB_MAX_RESULT_SIZE_CHARS = 100_000

/** `maxResultSizeChars` of Read. Its results are never written to a file: the model would have to read that file again. */
export const READ_MAX_RESULT_SIZE_CHARS = Number.POSITIVE_INFINITY
