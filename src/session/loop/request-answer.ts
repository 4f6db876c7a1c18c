import type { ModelError } from '../../contract/model/model-error.js'
import type { EndReason, SessionEvent } from '../session-event.js'
import { makeRoom } from './make-room.js'
import { nextRequest } from './next-request.js'
import type { QueryOptions } from './query-options.js'
import type { QueryState } from './query-state.js'
import { type AnswerRead, readAnswer } from './read-answer.js'
import { systemRetryClock } from './retry-clock.js'
import { RetryPolicy, type RetryStep } from './retry-policy.js'

/** A request that came to nothing. */
export interface RequestFailure {
  readonly reason: Extract<EndReason, 'context_full' | 'model_failed' | 'interrupted'>
  readonly message: string
  readonly error: ModelError
}

/** How often a conversation that is too long is made shorter for one request. */
const MAX_REWRITES = 3

/** Asks the model until there is an answer, or no hope of one. Gives an answer that broke off if any of its calls was whole. */
export async function* requestAnswer(
  options: QueryOptions,
  state: QueryState,
): AsyncGenerator<SessionEvent, AnswerRead | RequestFailure> {
  const recovery = {
    options,
    state,
    policy: new RetryPolicy((options.retries ?? systemRetryClock).random),
    rewrites: 0,
  }
  for (;;) {
    const { model } = state
    const request = yield* nextRequest(options, model)
    yield { type: 'request-started', turn: state.turns + 1, model: model.id }
    const read = yield* readAnswer(request, { ...options, model })
    const { error, isShown } = read.answer
    if (error === undefined || read.message !== undefined || options.signal.aborted) return read
    if (isShown) yield { type: 'message-discarded', reason: error.message }
    const failure = yield* recover(error, recovery)
    if (failure !== undefined) return failure
  }
}

interface Recovery {
  readonly options: QueryOptions
  readonly state: QueryState
  readonly policy: RetryPolicy
  rewrites: number
}

/** Makes the next try worth while; gives the failure where there is none. */
async function* recover(
  error: ModelError,
  recovery: Recovery,
): AsyncGenerator<SessionEvent, RequestFailure | undefined> {
  const { options, state, policy } = recovery
  if (options.runtime.fallBack(error)) return undefined
  if (error.kind !== 'too_long') return yield* retry(error, policy.after(error), recovery)
  if (recovery.rewrites++ < MAX_REWRITES && (yield* makeRoom(options, state, 'too_long'))) return undefined
  return { reason: 'context_full', message: error.message, error }
}

/** Does what a failure calls for; gives the failure itself where nothing does. */
async function* retry(
  error: ModelError,
  step: RetryStep,
  recovery: Recovery,
): AsyncGenerator<SessionEvent, RequestFailure | undefined> {
  const { options, state, policy } = recovery
  const { fallbackModel, signal, retries = systemRetryClock } = options
  switch (step.type) {
    case 'give_up':
      return { reason: 'model_failed', message: step.message, error }
    case 'change_model':
      if (fallbackModel === undefined || fallbackModel === state.model)
        return yield* retry(error, step.otherwise, recovery)
      yield { type: 'model-changed', from: state.model.id, to: fallbackModel.id, reason: step.reason }
      state.model = fallbackModel
      policy.reset()
      return undefined
    case 'wait':
      yield { type: 'request-retried', attempt: step.attempt, delayMs: step.delayMs, error }
      await retries.delay(step.delayMs, signal)
      return signal.aborted ? { reason: 'interrupted', message: error.message, error } : undefined
  }
}
