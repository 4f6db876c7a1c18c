import { ModelError } from '../../contract/model/model-error.js'
import { reasonOf } from '../../shared/reason-of.js'
import { delay } from '../../shared/waiting.js'

const MAX_TRIES = 8
const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 32_000
/** If the provider asks for a longer wait, the model is not tried again. */
const MAX_RETRY_AFTER_MS = 120_000
/** After this many overload errors in a row, the fallback model is tried if there is one. */
const MAX_OVERLOADS = 3

/** The sources of time and randomness, which tests replace. */
export interface RetryClock {
  /** Resolves early, without an error, when the signal is aborted. */
  delay(ms: number, signal: AbortSignal): Promise<void>
  /** Returns a number from 0 to 1. */
  random(): number
}

export const systemRetryClock: RetryClock = { random: Math.random, delay }

export type RetryStep =
  | { readonly type: 'wait'; readonly attempt: number; readonly delayMs: number }
  /** Switch to another model. Without one, take the `fallback` step. */
  | { readonly type: 'change_model'; readonly reason: string; readonly fallback: RetryStep }
  | { readonly type: 'give_up'; readonly message: string }

/** Decides how to react to each failure of one request. */
export class RetryPolicy {
  readonly #random: () => number
  #failures = 0
  #overloadCount = 0

  constructor(random: () => number) {
    this.#random = random
  }

  /** Resets the counts, because another model is tried next. */
  reset(): void {
    this.#failures = 0
    this.#overloadCount = 0
  }

  decideAfter(error: ModelError): RetryStep {
    if (!error.isTransient) return { type: 'give_up', message: error.message }
    this.#failures++
    this.#overloadCount = error.kind === 'overloaded' ? this.#overloadCount + 1 : 0
    const step = this.#waitOrGiveUp(error)
    if (this.#overloadCount >= MAX_OVERLOADS)
      return {
        type: 'change_model',
        reason: `it was overloaded ${this.#overloadCount} times in a row`,
        fallback: step,
      }
    if (step.type === 'give_up') return { type: 'change_model', reason: step.message, fallback: step }
    return step
  }

  #waitOrGiveUp({ message, retryAfterMs }: ModelError): RetryStep {
    if (this.#failures >= MAX_TRIES) return { type: 'give_up', message: `${message} (tried ${MAX_TRIES} times)` }
    if (retryAfterMs !== undefined && retryAfterMs > MAX_RETRY_AFTER_MS) {
      const seconds = Math.ceil(retryAfterMs / 1_000)
      return { type: 'give_up', message: `${message} (the provider asks to wait ${seconds} s before the next try)` }
    }
    return { type: 'wait', attempt: this.#failures, delayMs: this.#computeDelayMs(retryAfterMs) }
  }

  /**
   * Returns a random delay, so that clients refused together do not retry together. Never shorter than the provider asks for.
   */
  #computeDelayMs(retryAfterMs: number | undefined): number {
    const jitter = this.#random()
    if (retryAfterMs !== undefined && retryAfterMs >= 0) return Math.round(retryAfterMs * (1 + jitter / 10))
    const fullDelayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.#failures - 1))
    return Math.round(fullDelayMs * (0.5 + jitter / 2))
  }
}

/** Returns the error as a `ModelError`. Models throw no others, so anything else may be a bug in Haft, which a retry does not fix. */
export function asModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error
  return new ModelError('invalid_request', reasonOf(error) || 'The model failed without a message.', { cause: error })
}
