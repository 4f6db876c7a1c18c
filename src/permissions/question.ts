import type { DecisionReason, PermissionUpdate } from '../contract/permission/result.js'

/** A question that a call raises, before it is clear who answers it. */
export interface Question {
  /** Raised by mode or default, so that a hook or a classifier may answer it; else only a person can. */
  readonly isOpen: boolean
  readonly reason: DecisionReason
  readonly message: string
  readonly suggestions: readonly PermissionUpdate[]
}
