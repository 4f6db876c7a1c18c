import { headOf } from './cut-text.js'

const LONGEST_REASON = 200

/** Why something failed, in one short line. */
export function describeFailure(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error)
  return headOf(reason.replace(/\s+/g, ' '), LONGEST_REASON)
}
