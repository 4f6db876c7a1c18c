import type { ToolPermissionContext } from '../permission/context.js'
import type { DecisionReason, PermissionBehavior } from '../permission/result.js'
import type { FileReadingLimits, GlobLimits } from '../ports/files.js'
import type { ReadFileState } from '../ports/read-file-state.js'

/** The state that a host keeps for one agent. A sub-agent has its own. */
export interface HostState {
  readonly readFileState: ReadFileState
  readonly toolPermissionContext: ToolPermissionContext
  /** The permission decision of each call, by its id. */
  readonly toolDecisions: ReadonlyMap<string, ToolDecision>
  readonly localDenialTracking: DenialTracking
  readonly contentReplacementState: ContentReplacementState
  readonly fileReadingLimits: FileReadingLimits
  readonly globLimits: GlobLimits
}

/** The permission decision of one call. */
export interface ToolDecision {
  readonly behavior: PermissionBehavior
  readonly reason: DecisionReason
}

/** Counts the denials of a classifier: after too many, the user is asked instead. */
export interface DenialTracking {
  readonly consecutiveDenials: number
  readonly totalDenials: number
}

/** Which results were replaced by previews. The choice for a result never changes after it was sent. */
export interface ContentReplacementState {
  readonly seenIds: ReadonlySet<string>
  readonly replacements: ReadonlyMap<string, string>
}
