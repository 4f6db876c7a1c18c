import type { ModelUsage, StopReason } from '../../../contract/model/model.js'
import { describeEnd } from '../../../session/conversation/no-answer-error.js'
import type { QueryEnd } from '../../../session/conversation/session-event.js'
import type { Spending } from '../../../session/conversation/spending.js'
import { EXIT } from '../../io/exit.js'
import type { EndSubtype, ResultBody } from '../schema/output-schema.js'
import type { TurnCalls, TurnRecord } from './turn-record.js'

export interface TurnResultOptions {
  readonly record: TurnRecord
  /** The usage and cost of all prompts of this process. */
  readonly spending: Pick<Spending, 'models'>
  /** The structured answer, if one was requested. */
  readonly structuredOutput?: { readonly value: unknown } | 'missing' | undefined
}

/** Creates the result of a prompt as JSON and stream-json output contain it. */
export function createTurnResult(end: QueryEnd, { record, spending, structuredOutput }: TurnResultOptions): ResultBody {
  const lacksStructuredAnswer = structuredOutput === 'missing' && end.reason === 'completed'
  const exit_code = lacksStructuredAnswer ? EXIT.failed : exitCodeOf(end, record.calls)
  const isAnswer = end.reason === 'completed' && !lacksStructuredAnswer
  const text = isAnswer ? end.text : lacksStructuredAnswer ? NO_STRUCTURED_ANSWER : describeEnd(end)
  return {
    type: 'result',
    subtype: lacksStructuredAnswer ? 'error_max_structured_output_retries' : subtypeOf(end),
    is_error: !isAnswer,
    result: text,
    ...(!isAnswer && { errors: [text] }),
    end_reason: end.reason,
    exit_code,
    num_turns: end.turns,
    duration_ms: record.durationMs,
    duration_api_ms: record.apiMs,
    usage: usageOf(end.usage),
    stop_reason: record.stopReason === undefined ? null : STOP_REASONS[record.stopReason],
    ...describeSpending(spending),
    permission_denials: record.denials(end),
    ...(typeof structuredOutput === 'object' && { structured_output: structuredOutput.value }),
    ...(end.error !== undefined && { error: errorOf(end.error) }),
  }
}

function describeSpending({ models }: Pick<Spending, 'models'>): Pick<ResultBody, 'total_cost_usd' | 'modelUsage'> {
  const costs = [...models.values()].map(({ costUsd }) => costUsd ?? 0)
  return {
    total_cost_usd: costs.reduce((sum, cost) => sum + cost, 0),
    modelUsage: Object.fromEntries(
      [...models].map(([id, { usage, costUsd, facts }]) => [
        id,
        {
          ...{ inputTokens: usage.input, outputTokens: usage.output, webSearchRequests: usage.webSearches ?? 0 },
          ...{ cacheReadInputTokens: usage.cacheRead, cacheCreationInputTokens: usage.cacheWrite },
          ...{ costUSD: costUsd ?? 0, costBasis: costUsd === undefined ? ('unknown' as const) : ('list' as const) },
          ...{ contextWindow: facts.contextWindow, maxOutputTokens: facts.maxOutputTokens },
        },
      ]),
    ),
  }
}

/** The stop reasons of the Anthropic Messages API. */
export const STOP_REASONS: Readonly<Record<StopReason, string>> = {
  end_turn: 'end_turn',
  tool_use: 'tool_use',
  max_tokens: 'max_tokens',
  refusal: 'refusal',
  context_full: 'model_context_window_exceeded',
  pause: 'pause_turn',
}

const NO_STRUCTURED_ANSWER = 'The model returned no answer that matches --json-schema.'

function errorOf({ kind, message, status }: NonNullable<QueryEnd['error']>) {
  return { kind, message, ...(status !== undefined && { status }) }
}

/**
 * Returns the exit code for a finished prompt. An answer right after a refusal means that permission was missing. If the model
 * continued with other calls after the refusal, the prompt counts as successful.
 */
export function exitCodeOf({ reason, denials, error }: QueryEnd, { lastResultIds }: TurnCalls): number {
  switch (reason) {
    case 'completed': {
      const hasDenialInLastResults = denials.some(({ toolUseId }) => lastResultIds.includes(toolUseId))
      return hasDenialInLastResults ? EXIT.permission : EXIT.done
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

/** Returns the token usage with the field names of the Anthropic Messages API. */
export function usageOf({ input, output, cacheRead, cacheWrite }: ModelUsage) {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  }
}
