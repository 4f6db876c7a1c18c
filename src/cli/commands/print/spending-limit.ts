import { costOf, type Model } from '../../../contract/model.js'
import type { QueryEnd, SessionEvent } from '../../../session/session-event.js'

/**
 * What a session costs, sub-agents included. The loop keeps its own budget; this one ends a prompt whose sub-agents
 * have spent what is left.
 */
export class SpendingLimit {
  readonly #maxUsd: number | undefined
  #ended: number | undefined = 0
  #agents: number | undefined = 0
  /** Of the prompt that is worked on. */
  #now = 0
  #abort = new AbortController()

  constructor(maxUsd: number | undefined) {
    this.#maxUsd = maxUsd
  }

  /** Undefined where a price is not known. */
  get costUsd(): number | undefined {
    return added(this.#ended, this.#agents)
  }

  /** Gives the signal that ends the prompt. */
  promptBegins(signal: AbortSignal): AbortSignal {
    this.#now = 0
    this.#abort = new AbortController()
    return this.#maxUsd === undefined ? signal : AbortSignal.any([signal, this.#abort.signal])
  }

  take(event: SessionEvent, model: Model): void {
    if (event.type === 'message-added' && event.facts.usage !== undefined)
      this.#now += costOf(event.facts.usage, model.facts.prices) ?? 0
    // The answer that used up the last of it may still be the end.
    if (event.type === 'request-started') this.#check()
  }

  agentSpent(costUsd: number | undefined): void {
    this.#agents = added(this.#agents, costUsd)
    this.#check()
  }

  promptEnded(end: QueryEnd): QueryEnd {
    this.#ended = added(this.#ended, end.costUsd)
    if (!this.#abort.signal.aborted || end.reason !== 'interrupted') return end
    const message = `The budget of $${this.#maxUsd} is used up, sub-agents included.`
    return { ...end, reason: 'max_budget', message }
  }

  #check(): void {
    const spent = (this.#ended ?? 0) + (this.#agents ?? 0) + this.#now
    // What the main conversation spends alone is the loop's to stop, at a better place.
    if (this.#maxUsd !== undefined && spent >= this.#maxUsd && this.#agents !== 0) this.#abort.abort()
  }
}

function added(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a + b
}
