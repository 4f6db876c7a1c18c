import { expect, test } from 'vitest'
import * as limits from './limits.js'

test('the limits that prompts and transcripts rely on have their documented values', () => {
  expect({ ...limits }).toEqual({
    DEFAULT_MAX_RESULT_SIZE_CHARS: 50_000,
    MAX_TOOL_RESULT_TOKENS: 100_000,
    BYTES_PER_TOKEN: 4,
    MAX_TOOL_RESULT_BYTES: 400_000,
    MAX_TOOL_RESULTS_PER_MESSAGE_CHARS: 200_000,
    TOOL_SUMMARY_MAX_LENGTH: 50,
    PREVIEW_CHARS: 2_000,
    PREVIEW_HEAD_CHARS: 1_500,
    PREVIEW_TAIL_CHARS: 500,
    MAX_SPILL_BYTES: 2_147_483_648,
    MAX_SESSION_SPILL_BYTES: 4_294_967_296,
    MAX_BACKGROUND_COMMANDS: 32,
    BASH_MAX_RESULT_SIZE_CHARS: 30_000,
    SKILL_MAX_RESULT_SIZE_CHARS: 100_000,
    GLOB_MAX_RESULT_SIZE_CHARS: 100_000,
    READ_MAX_RESULT_SIZE_CHARS: Number.POSITIVE_INFINITY,
  })
})
