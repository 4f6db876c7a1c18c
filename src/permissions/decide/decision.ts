import type { DecisionReason, PermissionBehavior, PermissionUpdate } from '../../contract/permission/result.js'
import type { CallFacts } from '../facts/call-facts.js'
import type { BareRule } from '../rules/compile-rules.js'
import type { DecisionRequest } from './decision-request.js'

/** The stations of a decision, in order. */
export type TraceStation =
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
  | 'question'
  | 'classifier'

/** What one station said. `pass` leaves the decision to the next. */
export interface TraceStep {
  readonly station: TraceStation
  readonly outcome: PermissionBehavior | 'pass'
  readonly text: string
}

/** The way to a decision, written down as it is gone. */
export type Trace = TraceStep[]

export function note(trace: Trace, station: TraceStation, outcome: TraceStep['outcome'], text: string): void {
  trace.push({ station, outcome, text })
}

/** The way as lines of text, as `haft permissions explain` prints it. */
export function formatTrace(trace: readonly TraceStep[]): string {
  const width = Math.max(0, ...trace.map(({ station }) => station.length))
  return trace.map(({ station, outcome, text }) => `${station.padEnd(width)}  ${outcome.padEnd(5)}  ${text}`).join('\n')
}

export function reasonText({ text, rule }: DecisionReason): string {
  return rule === undefined ? text : `${text} (${rule})`
}

/** A question that a call raises, before it is clear who answers it. */
export interface Question {
  /** Raised by mode or default, so that a hook or a classifier may answer it; else only a person can. */
  readonly isOpen: boolean
  readonly reason: DecisionReason
  readonly message: string
  readonly suggestions: readonly PermissionUpdate[]
}

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

/** A call on its way through the stations, with what was said so far. */
export interface Journey {
  readonly request: DecisionRequest
  readonly call: CallFacts
  readonly trace: Trace
  /** A deny rule that may be meant, for all that can be told. */
  doubt?: BareRule
}

export function allow(
  { trace }: Journey,
  station: TraceStation,
  reason: DecisionReason,
  { updatedInput }: { readonly updatedInput?: unknown },
): PermissionOutcome {
  note(trace, station, 'allow', reasonText(reason))
  const outcome = { behavior: 'allow', reason, message: '', suggestions: [], trace } as const
  return updatedInput === undefined ? outcome : { ...outcome, updatedInput }
}

export function deny(
  { trace }: Journey,
  station: TraceStation,
  reason: DecisionReason,
  message: string,
): PermissionOutcome {
  note(trace, station, 'deny', reasonText(reason))
  return { behavior: 'deny', reason, message, suggestions: [], trace }
}
