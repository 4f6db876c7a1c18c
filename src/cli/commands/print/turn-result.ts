import type { QueryEnd } from '../../../session/session-event.js'
import { EXIT } from '../../exit-codes.js'
import { endMessage, exitCodeOf, subtypeOf } from './exit-code.js'
import type { ResultBody } from './stream-json/output-schema.js'
import { usageOf } from './stream-json/usage-of.js'
import type { TurnRecord } from './turn-record.js'

export interface TurnResultOptions {
  readonly record: TurnRecord
  /** Of all prompts of this process; undefined where a price is not known. */
  readonly totalCostUsd: number | undefined
  /** Where an answer of a certain form was asked for: whether it came, and what it is. */
  readonly structured?: { readonly value: unknown } | 'missing' | undefined
}

/** How a prompt ended, as programs read it. */
export function turnResult(end: QueryEnd, { record, totalCostUsd, structured }: TurnResultOptions): ResultBody {
  const isUnformed = structured === 'missing' && end.reason === 'completed'
  const exit_code = isUnformed ? EXIT.failed : exitCodeOf(end, record.calls)
  const isAnswer = end.reason === 'completed' && !isUnformed
  return {
    type: 'result',
    subtype: isUnformed ? 'error_max_structured_output_retries' : subtypeOf(end),
    is_error: !isAnswer,
    result: isAnswer ? end.text : isUnformed ? UNFORMED : endMessage(end),
    end_reason: end.reason,
    exit_code,
    num_turns: end.turns,
    duration_ms: record.durationMs,
    duration_api_ms: record.apiMs,
    usage: usageOf(end.usage),
    ...(totalCostUsd !== undefined && { total_cost_usd: totalCostUsd }),
    permission_denials: record.denials(end),
    ...(typeof structured === 'object' && { structured_output: structured.value }),
    ...(end.error !== undefined && { error: errorOf(end.error) }),
  }
}

const UNFORMED = 'The model gave no answer of the form that --json-schema asks for.'

function errorOf({ kind, message, status }: NonNullable<QueryEnd['error']>) {
  return { kind, message, ...(status !== undefined && { status }) }
}
