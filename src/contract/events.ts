import type { ToolCallErrorCode } from './errors.js'
import type { McpMeta, ToolResultBlock } from './messages.js'
import type { PermissionMode } from './permission/context.js'
import type { DecisionReason, DecisionStep, PermissionBehavior, PermissionUpdate } from './permission/result.js'

/** Everything that happens to calls, in order. User interfaces, transcripts and tracers read the same stream. */
export type ToolEvent =
  | CallQueued
  | CallStarted
  | InputRepaired
  | PermissionAsked
  | PermissionDecided
  | CallProgressed
  | HookReported
  | UserMessaged
  | CallEnded
  | ModeEntered

interface CallEvent {
  readonly toolUseId: string
  /** The call whose tool made this call; not set for calls of the model. */
  readonly parentToolUseId?: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** The model has requested a call. */
export interface CallQueued extends CallEvent {
  readonly type: 'call-queued'
  readonly toolName: string
  readonly input: unknown
}

/** The scheduler has started the call. Hooks and permission checks come first, so the tool may still not run. */
export interface CallStarted extends CallEvent {
  readonly type: 'call-started'
}

/** A value that was encoded as a JSON string was decoded, because only the decoded form matches the schema. */
export interface InputRepaired extends CallEvent {
  readonly type: 'input-repaired'
  readonly paths: readonly string[]
}

/** The call needs approval, and the user is asked about it. */
export interface PermissionAsked extends CallEvent {
  readonly type: 'permission-asked'
  readonly message: string
  readonly suggestions: readonly PermissionUpdate[]
  /** The stages that led to the question. */
  readonly trace?: readonly DecisionStep[]
}

/** The permission of a call was decided, by a rule, the mode, a hook, a classifier or the user. */
export interface PermissionDecided extends CallEvent {
  readonly type: 'permission-decided'
  readonly behavior: PermissionBehavior
  readonly reason: DecisionReason
  /** How long the user took to answer. */
  readonly waitedMs?: number
  /** The stages that led to the decision; not set for answers of the user and of PermissionRequest hooks. */
  readonly trace?: readonly DecisionStep[]
}

/** The tool reported progress. A slow reader misses older progress events. */
export interface CallProgressed extends CallEvent {
  readonly type: 'call-progressed'
  readonly progress: unknown
}

/** A hook has run for the call. */
export interface HookReported extends CallEvent {
  readonly type: 'hook-reported'
  readonly hookEvent: string
  readonly hook: string
  readonly outcome: 'ok' | 'blocked' | 'failed' | 'timed-out'
  readonly message?: string
  /** A message for the user: a failure, an invalid answer, or the `systemMessage` of the hook. */
  readonly forUser?: string
}

/** The tool has sent a message or files to the user. Every surface shows it, whether it shows calls or not. */
export interface UserMessaged extends CallEvent, MessageToUser {
  readonly type: 'user-messaged'
}

/** What a tool sends to the user directly. */
export interface MessageToUser {
  /** Markdown. */
  readonly text?: string
  readonly files: readonly FileForUser[]
}

/** A file that was sent to the user. */
export interface FileForUser {
  /** The absolute path. */
  readonly path: string
  readonly bytes: number
  /** The content in Base64, if it was sent as well. It is not part of any log. */
  readonly base64?: string
}

/** The call has its result. */
export interface CallEnded extends CallEvent {
  readonly type: 'call-ended'
  readonly result: ToolResultBlock
  /** What the tool returned, for its views; not set if the call failed. It is not part of any log. */
  readonly output?: unknown
  readonly errorCode?: ToolCallErrorCode
  /** The `errorCode` of the tool's `validateInput`, if it refused the input. */
  readonly toolErrorCode?: number
  /** What an MCP server sent beside the content of its result. */
  readonly mcpMeta?: McpMeta
}

/** The permission mode has changed. */
export interface ModeEntered {
  readonly type: 'mode-entered'
  readonly at: number
  readonly mode: PermissionMode
}
