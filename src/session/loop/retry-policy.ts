import type { ModelError } from '../../contract/model/model-error.js'

const MAX_TRIES = 8
const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 32_000
/** Whoever is asked to wait longer than this should know rather than wait. */
const MAX_RETRY_AFTER_MS = 120_000
/** So many refusals for overload in a row are enough to go elsewhere. */
const OVERLOADS = 3

export type RetryStep =
  | { readonly type: 'wait'; readonly attempt: number; readonly delayMs: number }
  /** Another model should be asked, if there is one; else it is as `otherwise` says. */
  | { readonly type: 'change_model'; readonly reason: string; readonly otherwise: RetryStep }
  | { readonly type: 'give_up'; readonly message: string }

/** What to do about each failure of one request in turn. */
export class RetryPolicy {
  readonly #random: () => number
  #failures = 0
  #overloads = 0

  constructor(random: () => number) {
    this.#random = random
  }

  /** Another model has its own tries. */
  reset(): void {
    this.#failures = 0
    this.#overloads = 0
  }

  after(error: ModelError): RetryStep {
    if (!error.isPassing) return { type: 'give_up', message: error.message }
    this.#failures++
    this.#overloads = error.kind === 'overloaded' ? this.#overloads + 1 : 0
    const step = this.#waitOrGiveUp(error)
    if (this.#overloads >= OVERLOADS)
      return { type: 'change_model', reason: `it was overloaded ${this.#overloads} times in a row`, otherwise: step }
    if (step.type === 'give_up') return { type: 'change_model', reason: step.message, otherwise: step }
    return step
  }

  #waitOrGiveUp({ message, retryAfterMs }: ModelError): RetryStep {
    if (this.#failures >= MAX_TRIES) return { type: 'give_up', message: `${message} (tried ${MAX_TRIES} times)` }
    if (retryAfterMs !== undefined && retryAfterMs > MAX_RETRY_AFTER_MS) {
      const seconds = Math.ceil(retryAfterMs / 1_000)
      return { type: 'give_up', message: `${message} (the provider asks to wait ${seconds} s before the next try)` }
    }
    return { type: 'wait', attempt: this.#failures, delayMs: this.#delay(retryAfterMs) }
  }

  /** Spread out, so that many who were refused together do not come back together; never earlier than asked for. */
  #delay(retryAfterMs: number | undefined): number {
    const spread = this.#random()
    if (retryAfterMs !== undefined && retryAfterMs >= 0) return Math.round(retryAfterMs * (1 + spread / 10))
    const full = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.#failures - 1))
    return Math.round(full * (0.5 + spread / 2))
  }
}
