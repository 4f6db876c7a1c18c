import { MAX_TOOL_RESULTS_PER_MESSAGE_CHARS, PREVIEW_CHARS } from '../contract/limits.js'
import { type MessageResult, resultText, sentChars } from './message-result.js'
import { isPersistable, moveToFile, replacementText } from './persist-result.js'
import { resultPath } from './result-file.js'

export interface BudgetOptions {
  readonly directory: string
  /** Characters of the same message that were already sent, in addition to the list. */
  readonly sentChars?: number
  readonly limit?: number
}

/** Preview lengths to try. They shrink, at last to nothing, if many previews together are too long. */
const PREVIEW_STEPS = [PREVIEW_CHARS, 400, 0]

/**
 * Fits the results of one user message into its budget: moves the largest to files until the sum fits. If that is not
 * enough, shortens the previews, the longest first.
 */
export async function fitMessageBudget(
  results: readonly MessageResult[],
  { directory, sentChars: sent = 0, limit = MAX_TOOL_RESULTS_PER_MESSAGE_CHARS }: BudgetOptions,
): Promise<readonly MessageResult[]> {
  let sum = results.reduce((total, result) => total + sentChars(result), sent)
  if (sum <= limit) return results
  const fitted = [...results]
  for (const previewChars of PREVIEW_STEPS) {
    for (const { result, index, chars } of largestFirst(fitted, previewChars)) {
      if (sum <= limit) return fitted
      if (!isShorterInFile(result, directory, previewChars)) continue
      const moved = await moveToFile(result, directory, previewChars)
      const movedChars = sentChars(moved)
      // The error text of a failed write can be longer than estimated.
      if (movedChars >= chars) continue
      fitted[index] = moved
      sum += movedChars - chars
    }
  }
  return fitted
}

function largestFirst(results: readonly MessageResult[], previewChars: number) {
  return results
    .map((result, index) => ({ result, index, chars: sentChars(result) }))
    .filter(({ result }) => isChoosable(result, previewChars))
    .sort((a, b) => b.chars - a.chars || a.index - b.index)
}

/** A result that already has a preview gains nothing from another of the same length. */
function isChoosable({ replacement, isSent, maxResultSizeChars }: MessageResult, previewChars: number): boolean {
  if (isSent === true || !isPersistable(maxResultSizeChars)) return false
  return replacement === undefined || previewChars < PREVIEW_CHARS
}

/** A short result is about as long as its preview, so moving it would not reduce the sum. */
function isShorterInFile(result: MessageResult, directory: string, previewChars: number): boolean {
  const { block } = result
  const path = resultPath(directory, block.tool_use_id)
  return replacementText(resultText(block), { path }, previewChars).length < sentChars(result)
}
