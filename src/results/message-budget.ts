import { MAX_TOOL_RESULTS_PER_MESSAGE_CHARS } from '../contract/limits.js'
import { isPersistable } from './inline-limit.js'
import { type MessageResult, sentChars } from './message-result.js'
import { moveToFile } from './move-to-file.js'
import { replacementText } from './replacement-text.js'
import { resultPath } from './result-paths.js'
import { resultText } from './result-text.js'

export interface BudgetOptions {
  readonly directory: string
  /** Characters of the same message that the model has already, beside those in the list. */
  readonly sentChars?: number
  readonly limit?: number
}

/** Fits the results of one user message into its budget: the largest go to files first, until the sum is within it. */
export async function fitMessageBudget(
  results: readonly MessageResult[],
  { directory, sentChars: sent = 0, limit = MAX_TOOL_RESULTS_PER_MESSAGE_CHARS }: BudgetOptions,
): Promise<readonly MessageResult[]> {
  let sum = results.reduce((total, result) => total + sentChars(result), sent)
  if (sum <= limit) return results
  const fitted = [...results]
  for (const { result, index, chars } of largestFirst(results)) {
    if (sum <= limit) break
    if (!isShorterInFile(result, directory)) continue
    const moved = await moveToFile(result, directory)
    fitted[index] = moved
    sum += sentChars(moved) - chars
  }
  return fitted
}

function largestFirst(results: readonly MessageResult[]) {
  return results
    .map((result, index) => ({ result, index, chars: sentChars(result) }))
    .filter(({ result }) => isChoosable(result))
    .sort((a, b) => b.chars - a.chars || a.index - b.index)
}

function isChoosable({ replacement, isSent, maxResultSizeChars }: MessageResult): boolean {
  return replacement === undefined && isSent !== true && isPersistable(maxResultSizeChars)
}

/** A short result is about as long as its own preview: moving it would only add to the sum. */
function isShorterInFile({ block }: MessageResult, directory: string): boolean {
  const text = resultText(block)
  return replacementText(text, { path: resultPath(directory, block.tool_use_id) }).length < text.length
}
