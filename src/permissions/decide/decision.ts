import type { DecisionReason, PermissionBehavior, PermissionUpdate } from '../../contract/permission/result.js'
import type { CallFacts } from '../facts/call-facts.js'
import type { BareRule } from '../rules/compile-rules.js'
import type { DecisionRequest } from './decision-request.js'

/**
 * The stages of a decision, in order. A hook that asks comes after the ask rules. A hook that allows, and the mode `dontAsk`,
 * answer the question that the earlier stages raised.
 */
export type DecisionStage =
  | 'input'
  | 'deny rules'
  | 'hook'
  | 'ask rules'
  | 'tool'
  | 'safety'
  | 'mode'
  | 'allow rules'
  | 'tool allow'
  | 'read-only'
  | 'classifier'
  | 'question'

/** The outcome of one stage. `pass` leaves the decision to the next stage. */
export interface TraceStep {
  readonly stage: DecisionStage
  readonly outcome: PermissionBehavior | 'pass'
  readonly text: string
}

/** The stages that a decision has passed so far. */
export type Trace = TraceStep[]

export function recordStage(trace: Trace, stage: DecisionStage, outcome: TraceStep['outcome'], text: string): void {
  trace.push({ stage, outcome, text })
}

/** Formats a trace as lines of text, for `haft permissions explain`. */
export function formatTrace(trace: readonly TraceStep[]): string {
  const width = Math.max(0, ...trace.map(({ stage }) => stage.length))
  return trace.map(({ stage, outcome, text }) => `${stage.padEnd(width)}  ${outcome.padEnd(5)}  ${text}`).join('\n')
}

/** Appends the rule of a reason, if any, in parentheses. */
export function formatReason({ text, rule }: DecisionReason): string {
  return rule === undefined ? text : `${text} (${rule})`
}

/** A question about a call. A hook, the mode, a classifier or the user answers it. */
export interface Question {
  /** Raised by the mode or by default, so a hook or a classifier may answer it. Otherwise only the user can. */
  readonly isOpen: boolean
  readonly reason: DecisionReason
  readonly message: string
  readonly suggestions: readonly PermissionUpdate[]
}

/** The decision about a call, with its trace. */
export interface PermissionOutcome {
  readonly behavior: PermissionBehavior
  readonly reason: DecisionReason
  /** The question for the user, or the denial for the model; empty for an allow. */
  readonly message: string
  /** Rule updates that the user can accept with the answer. */
  readonly suggestions: readonly PermissionUpdate[]
  /** The input as changed by the tool's own check. It must be checked again before it is used. */
  readonly updatedInput?: unknown
  /** What the call would change, for the user. */
  readonly preview?: string
  /** The question was raised by the mode or by default: a hook may answer it. Otherwise only the user can. */
  readonly isOpen?: true
  /** Denied only because there is no user to ask. */
  readonly needsUser?: true
  /** The classifier failed or denied too often, and there is no user to ask: the run ends. */
  readonly stopsRun?: true
  readonly trace: readonly TraceStep[]
}

/** A decision in progress. */
export interface Decision {
  readonly request: DecisionRequest
  readonly call: CallFacts
  readonly trace: Trace
  /** A deny rule that may match the call. */
  possibleDenyRule?: BareRule
}

/** Records the allow in the trace and returns the outcome. */
export function allow(
  { trace }: Decision,
  stage: DecisionStage,
  reason: DecisionReason,
  { updatedInput }: { readonly updatedInput?: unknown },
): PermissionOutcome {
  recordStage(trace, stage, 'allow', formatReason(reason))
  const outcome = { behavior: 'allow', reason, message: '', suggestions: [], trace } as const
  return updatedInput === undefined ? outcome : { ...outcome, updatedInput }
}

/** Records the denial in the trace and returns the outcome. `message` is for the model. */
export function deny(
  { trace }: Decision,
  stage: DecisionStage,
  reason: DecisionReason,
  message: string,
): PermissionOutcome {
  recordStage(trace, stage, 'deny', formatReason(reason))
  return { behavior: 'deny', reason, message, suggestions: [], trace }
}
