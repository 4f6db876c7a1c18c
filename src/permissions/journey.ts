import type { DecisionReason } from '../contract/permission/result.js'
import type { CallFacts } from './call-facts.js'
import type { BareRule } from './compile-rules.js'
import type { DecisionRequest } from './decision-request.js'
import type { PermissionOutcome } from './permission-outcome.js'
import { note, reasonText, type Trace, type TraceStation } from './trace.js'

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
