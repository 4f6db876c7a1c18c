import type { JudgedPaths } from '../../contract/judged-paths.js'
import type {
  DecisionReason,
  DecisionStep,
  PermissionBehavior,
  PermissionUpdate,
} from '../../contract/permission/result.js'
import type { CallFacts } from '../facts/call-facts.js'
import type { BareRule } from '../rules/compile-rules.js'
import type { DecisionRequest } from './decision-request.js'

/**
 * The stages of a decision, in order. Exceptions: a hook that asks comes after the ask rules, and a hook that allows and the
 * mode `dontAsk` come last, because they answer the question that earlier stages raised.
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
export interface TraceStep extends DecisionStep {
  readonly stage: DecisionStage
}

/** The stages that a decision has passed so far, in order. */
export type Trace = TraceStep[]

export function recordStage(trace: Trace, stage: DecisionStage, outcome: TraceStep['outcome'], text: string): void {
  trace.push({ stage, outcome, text })
}

/** Formats a trace as lines of text, for `haft permissions explain`. */
export function formatTrace(trace: readonly TraceStep[]): string {
  const width = Math.max(0, ...trace.map(({ stage }) => stage.length))
  return trace.map(({ stage, outcome, text }) => `${stage.padEnd(width)}  ${outcome.padEnd(5)}  ${text}`).join('\n')
}

/** Returns the text of a reason, followed by its rule in parentheses if it has one. */
export function formatReason({ text, rule }: DecisionReason): string {
  return rule === undefined ? text : `${text} (${rule})`
}

/** A question about a call. A hook, the mode, a classifier or the user answers it. */
export interface Question {
  /**
   * Whether the mode or the default raised the question, so that a hook or a classifier may answer it. Otherwise only the user
   * may.
   */
  readonly isOpen: boolean
  readonly reason: DecisionReason
  readonly message: string
  readonly suggestions: readonly PermissionUpdate[]
}

/** The decision about a call, with its trace. */
export interface PermissionOutcome {
  readonly behavior: PermissionBehavior
  readonly reason: DecisionReason
  /** The question for the user, or the explanation of a denial for the model. Empty if the call is allowed. */
  readonly message: string
  /** Rule updates that the user can accept with the answer. */
  readonly suggestions: readonly PermissionUpdate[]
  /** The input as changed by the tool's own check. It must be validated again before it is used. */
  readonly updatedInput?: unknown
  /** The changes that the call would make, as text for the user. */
  readonly preview?: string
  /** Whether the mode or the default raised the question, so that a hook may answer it. Otherwise only the user may. */
  readonly isOpen?: true
  /** Set if the classifier still works on the question. Resolves to the outcome that follows from its answer. */
  readonly laterOutcome?: Promise<PermissionOutcome>
  /** Whether the call is denied only because there is no user to ask. */
  readonly needsUser?: true
  /** Whether the run must end, because the classifier failed or denied too often and there is no user to ask. */
  readonly stopsRun?: true
  /** The page that the tool stated, which the call must be about. */
  readonly judgedUrl?: string
  /** The targets of the call's paths. The tool must use exactly these. Left out if the call has no paths. */
  readonly judgedPaths?: JudgedPaths
  readonly trace: readonly TraceStep[]
}

/** A decision in progress. */
export interface Decision {
  readonly request: DecisionRequest
  readonly call: CallFacts
  readonly trace: Trace
  /** A deny rule for which it is unknown whether it matches the call. */
  possibleDenyRule?: BareRule
}

/** Records an allow in the trace and returns it as the outcome. */
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

/** Records a denial in the trace and returns it as the outcome. `message` is for the model. */
export function deny(
  { trace }: Decision,
  stage: DecisionStage,
  reason: DecisionReason,
  message: string,
): PermissionOutcome {
  recordStage(trace, stage, 'deny', formatReason(reason))
  return { behavior: 'deny', reason, message, suggestions: [], trace }
}
