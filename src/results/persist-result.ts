import { isInlined, isPersistable } from './inline-limit.js'
import type { MessageResult } from './message-result.js'
import { moveToFile } from './move-to-file.js'
import { replacementText } from './replacement-text.js'
import { resultText } from './result-text.js'
import { sayEmpty } from './say-empty.js'

/** Judges one result by the threshold of its tool: whole, or in a file under `directory` with a preview in its place. */
export async function persistResult(result: MessageResult, directory: string): Promise<MessageResult> {
  if (result.replacement !== undefined || result.isSent === true) return result
  const block = sayEmpty(result.block)
  if (isInlined(resultText(block), result.maxResultSizeChars)) return { ...result, block }
  if (isPersistable(result.maxResultSizeChars)) return moveToFile({ ...result, block }, directory)
  const problem = 'it is longer than any result may be, and results of this tool are never written to a file'
  return { ...result, block, replacement: replacementText(resultText(block), { problem }) }
}
