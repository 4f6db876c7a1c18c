import { BYTES_PER_TOKEN, MAX_TOOL_RESULT_TOKENS } from '../../contract/limits.js'
import type { FilesPort } from '../../contract/ports/files.js'

/** How much text one read may give, in bytes and as the model counts. */
export interface ReadBudget {
  readonly bytes: number
  readonly words: string
}

export function readBudget({ fileReadingLimits: { maxTokens, maxSizeBytes } }: FilesPort): ReadBudget {
  const tokens = Math.min(maxTokens, MAX_TOOL_RESULT_TOKENS)
  const byTokens = tokens * BYTES_PER_TOKEN
  return byTokens <= maxSizeBytes
    ? { bytes: byTokens, words: `${tokens} tokens` }
    : { bytes: maxSizeBytes, words: `${maxSizeBytes} bytes` }
}
