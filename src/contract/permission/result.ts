import type { PermissionMode, RuleSource } from './context.js'

/** What a tool, or the permission system, says about one call. */
export type PermissionResult<Args = Record<string, unknown>> =
  | PermissionAllow<Args>
  | PermissionDeny
  | PermissionAsk<Args>
  | PermissionPassthrough

export interface PermissionAllow<Args = Record<string, unknown>> {
  readonly behavior: 'allow'
  readonly updatedInput?: Args
  readonly reason?: DecisionReason
}

export interface PermissionDeny {
  readonly behavior: 'deny'
  readonly message: string
  readonly reason?: DecisionReason
}

export interface PermissionAsk<Args = Record<string, unknown>> {
  readonly behavior: 'ask'
  readonly message: string
  readonly updatedInput?: Args
  readonly suggestions?: readonly PermissionUpdate[]
  readonly reason?: DecisionReason
}

/** The tool has no opinion: the general system decides. */
export interface PermissionPassthrough {
  readonly behavior: 'passthrough'
  readonly message?: string
  /** What the call would change, for the person who may be asked; no model reads it. */
  readonly preview?: string
}

/** A result that settles the call: nobody is left to ask. */
export type PermissionDecision<Args = Record<string, unknown>> = PermissionAllow<Args> | PermissionDeny

/** Why a decision fell as it did, kept with it and shown. */
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

export type PermissionBehavior = 'allow' | 'deny' | 'ask'

/** The settings an answer may be saved to. */
export type UpdateDestination = 'session' | 'localSettings' | 'projectSettings' | 'userSettings'

/** A change to the permission context that a person's answer carries. */
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
