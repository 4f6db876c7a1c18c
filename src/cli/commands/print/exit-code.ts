import type { QueryEnd } from '../../../session/session-event.js'
import { EXIT } from '../../exit-codes.js'
import type { EndSubtype } from './stream-json/output-schema.js'

export interface TurnCalls {
  /** The ids of the calls whose results the model read last. */
  readonly lastAnswered: readonly string[]
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
