import type { ToolCallErrorCode } from './errors.js'
import type { ToolResultBlock } from './messages.js'
import type { PermissionMode } from './permission/context.js'
import type { DecisionReason, PermissionBehavior, PermissionUpdate } from './permission/result.js'

/** All that happens to calls, in the order it happens; screens, transcripts and tracers read the same stream. */
export type ToolEvent =
  | CallQueued
  | CallStarted
  | InputRepaired
  | PermissionAsked
  | PermissionDecided
  | CallProgressed
  | HookReported
  | CallEnded
  | ModeEntered

interface CallEvent {
  readonly toolUseId: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

export interface CallQueued extends CallEvent {
  readonly type: 'call-queued'
  readonly toolName: string
  readonly input: unknown
}

export interface CallStarted extends CallEvent {
  readonly type: 'call-started'
}

/** A value that came as a JSON string was decoded because only its decoded form fits the schema. */
export interface InputRepaired extends CallEvent {
  readonly type: 'input-repaired'
  readonly paths: readonly string[]
}

export interface PermissionAsked extends CallEvent {
  readonly type: 'permission-asked'
  readonly message: string
  readonly suggestions: readonly PermissionUpdate[]
}

export interface PermissionDecided extends CallEvent {
  readonly type: 'permission-decided'
  readonly behavior: PermissionBehavior
  readonly reason: DecisionReason
  /** How long a person took, apart from what the steps took. */
  readonly waitedMs?: number
}

export interface CallProgressed extends CallEvent {
  readonly type: 'call-progressed'
  readonly progress: unknown
}

export interface HookReported extends CallEvent {
  readonly type: 'hook-reported'
  readonly hookEvent: string
  readonly hook: string
  readonly outcome: 'ok' | 'blocked' | 'failed' | 'timed-out'
  readonly message?: string
  /** What the user has to read of it: that it failed, what is wrong with its answer, or its `systemMessage`. */
  readonly forUser?: string
}

export interface CallEnded extends CallEvent {
  readonly type: 'call-ended'
  readonly result: ToolResultBlock
  readonly errorCode?: ToolCallErrorCode
}

export interface ModeEntered {
  readonly type: 'mode-entered'
  readonly at: number
  readonly mode: PermissionMode
}
