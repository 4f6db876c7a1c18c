import { MAX_TOOL_RESULTS_PER_MESSAGE_CHARS, PREVIEW_CHARS } from '../contract/limits.js'
import { type MessageResult, readResultText, sentChars } from './message-result.js'
import { createReplacementText, isPersistable, moveToFile } from './persist-result.js'
import { toResultPath } from './result-file.js'

export interface BudgetOptions {
  readonly directory: string
  /** Characters of the same message that were already sent and are not in the list of results. */
  readonly sentChars?: number
  readonly limit?: number
}

/** Preview lengths to try one after the other until the results fit. With 0 there is no preview. */
const PREVIEW_LENGTHS = [PREVIEW_CHARS, 400, 0]

/**
 * Fits the results of one user message into its budget: moves the largest to files until their sum fits. If that is not
 * enough, shortens the previews, the longest first.
 */
export async function fitMessageBudget(
  results: readonly MessageResult[],
  { directory, sentChars: alreadySentChars = 0, limit = MAX_TOOL_RESULTS_PER_MESSAGE_CHARS }: BudgetOptions,
): Promise<readonly MessageResult[]> {
  let totalChars = results.reduce((total, result) => total + sentChars(result), alreadySentChars)
  if (totalChars <= limit) return results
  const fittedResults = [...results]
  for (const previewChars of PREVIEW_LENGTHS) {
    for (const { result, index, chars } of sortLargestFirst(fittedResults, previewChars)) {
      if (totalChars <= limit) return fittedResults
      if (!isShorterInFile(result, directory, previewChars)) continue
      const movedResult = await moveToFile(result, directory, previewChars)
      const movedChars = sentChars(movedResult)
      // The error text of a failed write can be longer than estimated.
      if (movedChars >= chars) continue
      fittedResults[index] = movedResult
      totalChars += movedChars - chars
    }
  }
  return fittedResults
}

function sortLargestFirst(results: readonly MessageResult[], previewChars: number) {
  return results
    .map((result, index) => ({ result, index, chars: sentChars(result) }))
    .filter(({ result }) => canReplace(result, previewChars))
    .sort((a, b) => b.chars - a.chars || a.index - b.index)
}

/** Whether a preview of this length may replace the result. A full preview is not replaced by another full preview. */
function canReplace(result: MessageResult, previewChars: number): boolean {
  const { replacement, isSent, maxResultSizeChars } = result
  if (isSent === true || !isPersistable(maxResultSizeChars)) return false
  return replacement === undefined || previewChars < (result.previewChars ?? PREVIEW_CHARS)
}

/** Whether the replacement is shorter than the text that is sent now: for a short result it may be longer. */
function isShorterInFile(result: MessageResult, directory: string, previewChars: number): boolean {
  const { block } = result
  const path = toResultPath(directory, block.tool_use_id)
  return createReplacementText(readResultText(block), { path }, previewChars).length < sentChars(result)
}
