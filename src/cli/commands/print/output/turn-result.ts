import type { ModelUsage } from '../../../../contract/model/model.js'
import type { QueryEnd } from '../../../../session/conversation/session-event.js'
import { EXIT } from '../../../io/exit.js'
import type { EndSubtype, ResultBody } from '../schema/output-schema.js'
import type { TurnCalls, TurnRecord } from './turn-record.js'

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

/**
 * What a script is told about how a prompt ended. An answer that follows a refusal means that permission was missing;
 * a model that found another way after one has done what was asked.
 */
export function exitCodeOf({ reason, denials, error }: QueryEnd, { lastAnswered }: TurnCalls): number {
  switch (reason) {
    case 'completed': {
      const wasLast = denials.some(({ toolUseId }) => lastAnswered.includes(toolUseId))
      return wasLast ? EXIT.permission : EXIT.done
    }
    case 'interrupted':
      return EXIT.interrupted
    case 'max_turns':
    case 'max_budget':
      return EXIT.limit
    case 'stopped_by_permissions':
      return EXIT.permission
    case 'model_failed':
      return error?.kind === 'unauthorised' || error?.kind === 'unknown_model' ? EXIT.noModel : EXIT.failed
    default:
      return EXIT.failed
  }
}

export function subtypeOf({ reason }: Pick<QueryEnd, 'reason'>): EndSubtype {
  if (reason === 'completed') return 'success'
  if (reason === 'max_turns') return 'error_max_turns'
  if (reason === 'max_budget') return 'error_max_budget_usd'
  return 'error_during_execution'
}

/** One line for a person where no answer came. */
export function endMessage({ reason, message, error }: QueryEnd): string {
  return message ?? error?.message ?? MESSAGES[reason]
}

const MESSAGES: Readonly<Record<QueryEnd['reason'], string>> = {
  completed: 'The model has answered.',
  interrupted: 'It was interrupted.',
  max_turns: 'The limit of turns is reached; --max-turns sets it.',
  max_budget: 'The budget is spent; --max-budget-usd sets it.',
  refused: 'The model declined to answer.',
  max_output: 'The answer was longer than the model can write.',
  context_full: 'The conversation does not fit into the window of the model any more.',
  model_failed: 'The model failed.',
  stopped_by_hook: 'A hook ended it.',
  stopped_by_permissions: 'Permissions ended it, and there is nobody to ask.',
  stuck: 'The model made the same call again and again.',
}

/** Usage under the names that the Anthropic Messages API gives it. */
export function usageOf({ input, output, cacheRead, cacheWrite }: ModelUsage) {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  }
}
