import type { DecisionReason, PermissionBehavior } from '../contract/permission/result.js'

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
