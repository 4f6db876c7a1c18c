import type { PermissionMode, RuleSource } from './context.js'

/** The answer of a tool's `checkPermissions` about one call. */
export type PermissionResult<Args = Record<string, unknown>> =
  | PermissionAllow<Args>
  | PermissionDeny
  | PermissionAsk<Args>
  | PermissionPassthrough

/** Allows the call, optionally with a changed input. */
export interface PermissionAllow<Args = Record<string, unknown>> {
  readonly behavior: 'allow'
  readonly updatedInput?: Args
  readonly reason?: DecisionReason
}

/** Denies the call. The model reads the message. */
export interface PermissionDeny {
  readonly behavior: 'deny'
  readonly message: string
  readonly reason?: DecisionReason
}

/** Asks the user. `suggestions` are rule updates that the user may accept together with the call. */
export interface PermissionAsk<Args = Record<string, unknown>> {
  readonly behavior: 'ask'
  readonly message: string
  readonly updatedInput?: Args
  readonly suggestions?: readonly PermissionUpdate[]
  readonly reason?: DecisionReason
}

/** The tool leaves the decision to the general permission system. */
export interface PermissionPassthrough {
  readonly behavior: 'passthrough'
  readonly message?: string
  /** What the call would change, shown to the user but not to the model. */
  readonly preview?: string
  /** Whether the call runs in a sandbox that keeps protected files read-only. */
  readonly isConfined?: boolean
}

/** A final decision, after all questions were answered. */
export type PermissionDecision<Args = Record<string, unknown>> = PermissionAllow<Args> | PermissionDeny

/** The reason for a decision, which is stored with it and shown. */
export interface DecisionReason {
  readonly type:
    | 'rule'
    | 'hook'
    | 'mode'
    | 'tool'
    | 'safety'
    | 'directory'
    | 'classifier'
    | 'person'
    | 'input'
    | 'default'
  readonly text: string
  readonly rule?: string
  readonly source?: RuleSource
}

/** One stage of a decision. `pass` leaves the decision to the next stage. */
export interface DecisionStep {
  readonly stage: string
  readonly outcome: PermissionBehavior | 'pass'
  readonly text: string
}

/** What a rule or a decision does with a call. */
export type PermissionBehavior = 'allow' | 'deny' | 'ask'

/** Where the user's answer can be saved. */
export type UpdateDestination = 'session' | 'localSettings' | 'projectSettings' | 'userSettings'

/** A change of the permission context that is part of the user's answer. */
export type PermissionUpdate =
  | {
      readonly type: 'addRules' | 'replaceRules' | 'removeRules'
      readonly destination: UpdateDestination
      readonly behavior: PermissionBehavior
      readonly rules: readonly string[]
    }
  | { readonly type: 'setMode'; readonly destination: UpdateDestination; readonly mode: PermissionMode }
  | {
      readonly type: 'addDirectories' | 'removeDirectories'
      readonly destination: UpdateDestination
      readonly directories: readonly string[]
    }
