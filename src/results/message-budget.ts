import { MAX_TOOL_RESULTS_PER_MESSAGE_CHARS, PREVIEW_CHARS } from '../contract/limits.js'
import { type MessageResult, resultText, sentChars } from './message-result.js'
import { isPersistable, moveToFile, replacementText } from './persist-result.js'
import { resultPath } from './result-file.js'

export interface BudgetOptions {
  readonly directory: string
  /** Characters of the same message that the model has already, beside those in the list. */
  readonly sentChars?: number
  readonly limit?: number
}

/** How much of a text is shown in its place: less where many previews together are too long, at last nothing. */
const PREVIEW_STEPS = [PREVIEW_CHARS, 400, 0]

/**
 * Fits the results of one user message into its budget: the largest go to files first, until the sum is within it.
 * Where that is not enough, the previews become shorter, the longest first.
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
      // Why a disk refused can take more words than were estimated.
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

/** What has a preview already gains nothing from another one of the same length. */
function isChoosable({ replacement, isSent, maxResultSizeChars }: MessageResult, previewChars: number): boolean {
  if (isSent === true || !isPersistable(maxResultSizeChars)) return false
  return replacement === undefined || previewChars < PREVIEW_CHARS
}

/** A short result is about as long as its own preview: moving it would only add to the sum. */
function isShorterInFile(result: MessageResult, directory: string, previewChars: number): boolean {
  const { block } = result
  const path = resultPath(directory, block.tool_use_id)
  return replacementText(resultText(block), { path }, previewChars).length < sentChars(result)
}
