import { reasonOf } from '../shared/reason-of.js'
import { headOf } from './cut-text.js'

const LONGEST_REASON = 200

/** Why something failed, in one short line. */
export function describeFailure(error: unknown): string {
  const reason = reasonOf(error)
  return headOf(reason.replace(/\s+/g, ' '), LONGEST_REASON)
}
