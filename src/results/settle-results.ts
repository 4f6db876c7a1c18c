import { fitMessageBudget } from './message-budget.js'
import type { MessageResult } from './message-result.js'
import { persistResult } from './persist-result.js'
import type { ReplacementLedger } from './replacement-ledger.js'

export interface SettleOptions {
  readonly directory: string
  readonly ledger: ReplacementLedger
  /** Characters of the same message that the model has already, beside those in the list. */
  readonly sentChars?: number
  readonly limit?: number
}

/**
 * Decides how the results of one user message are sent, and freezes it.
 * Those that were sent before come back as they were; the others are judged one by one, then together. Never rejects.
 */
export async function settleResults(
  results: readonly MessageResult[],
  { directory, ledger, ...budget }: SettleOptions,
): Promise<readonly MessageResult[]> {
  const judged: MessageResult[] = []
  // One at a time: each write holds its whole text in memory once more.
  for (const result of results) judged.push(ledger.frozen(result) ?? (await persistResult(result, directory)))
  return ledger.freeze(await fitMessageBudget(judged, { directory, ...budget }))
}
