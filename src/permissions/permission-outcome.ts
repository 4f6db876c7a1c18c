import type { DecisionReason, PermissionBehavior, PermissionUpdate } from '../contract/permission/result.js'
import type { TraceStep } from './trace.js'

/** How a call was decided, and the whole way there. */
export interface PermissionOutcome {
  readonly behavior: PermissionBehavior
  readonly reason: DecisionReason
  /** What the person is asked, or the model is told; empty for an allow. */
  readonly message: string
  /** What the answer of a person could save. */
  readonly suggestions: readonly PermissionUpdate[]
  /** What the tool's own check made of the input. It was not judged: check it again before it is used. */
  readonly updatedInput?: unknown
  /** What the call would change, for the person who is asked. */
  readonly preview?: string
  /** A question by mode or default: a hook may answer it. Any other is for a person alone. */
  readonly isOpen?: true
  /** A question that nobody was there to answer, rather than a refusal. */
  readonly lacksPerson?: true
  /** The classifier gave up and nobody can take over: the run ends, and says why. */
  readonly stopsRun?: true
  readonly trace: readonly TraceStep[]
}
