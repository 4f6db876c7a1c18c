import type { ToolPermissionContext } from '../permission/context.js'
import type { DecisionReason, PermissionBehavior } from '../permission/result.js'
import type { FileReadingLimits, GlobLimits } from '../ports/files.js'
import type { ReadFileState } from '../ports/read-file-state.js'

/** What a host keeps behind the ports for one agent; a sub-agent has its own. */
export interface HostState {
  readonly readFileState: ReadFileState
  readonly toolPermissionContext: ToolPermissionContext
  /** How each call was decided, by its id. */
  readonly toolDecisions: ReadonlyMap<string, ToolDecision>
  readonly localDenialTracking: DenialTracking
  readonly contentReplacementState: ContentReplacementState
  readonly fileReadingLimits: FileReadingLimits
  readonly globLimits: GlobLimits
}

export interface ToolDecision {
  readonly behavior: PermissionBehavior
  readonly reason: DecisionReason
}

/** Counts denials, so that a classifier that keeps refusing gives way to a person. */
export interface DenialTracking {
  readonly consecutiveDenials: number
  readonly totalDenials: number
}

/** Which results were replaced by previews. A decision, once sent, never changes. */
export interface ContentReplacementState {
  readonly seenIds: ReadonlySet<string>
  readonly replacements: ReadonlyMap<string, string>
}
