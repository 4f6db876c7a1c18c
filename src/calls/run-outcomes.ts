import type { Message, ToolResultBlock } from '../contract/messages.js'
import type { Call } from './call.js'
import type { CallOutcome } from './call-outcome.js'
import { toErrorOutcome } from './perform-call.js'
import { EndedPrefix } from './schedule/call-order.js'

export type ToResults = (outcomes: readonly CallOutcome[]) => Promise<readonly ToolResultBlock[]>

/** The calls of a run with their outcomes, in call order, and the results that the model gets for them. */
export abstract class RunOutcomes {
  protected readonly calls: Call[] = []
  protected readonly endedPrefix = new EndedPrefix()
  #allOutcomes: Promise<readonly CallOutcome[]> | undefined
  #results: Promise<readonly ToolResultBlock[]> | undefined

  /** Called once, when every call has ended and the results are complete. */
  protected abstract onSettled(): void

  /** The results in call order. Rejects only if the message ended before it was complete. */
  get results(): Promise<readonly ToolResultBlock[]> {
    if (this.#results === undefined) throw new Error('This run was opened without results; use `outcomes`.')
    return this.#results
  }

  get newMessages(): Promise<readonly Message[]> {
    return this.allOutcomes().then(
      () => this.listNewMessages(),
      () => [],
    )
  }

  /** Returns all outcomes in call order, once every call has ended. */
  async outcomes(): Promise<readonly CallOutcome[]> {
    await this.endedPrefix.waitForCount(Number.POSITIVE_INFINITY)
    return this.calls.map(getOutcome)
  }

  /** Yields each outcome as soon as it and all earlier ones are complete. */
  async *streamOutcomesInOrder(): AsyncGenerator<CallOutcome, void> {
    for (let index = 0; ; index++) {
      await this.endedPrefix.waitForCount(index + 1)
      const call = this.calls[index]
      if (call === undefined) return
      yield getOutcome(call)
    }
  }

  /** Resolves when the run has settled, with or without results. */
  async waitUntilSettled(): Promise<void> {
    await (this.#results ?? this.outcomes())
  }

  /** Turns the outcomes into results once every call has ended. For a run whose calls are added one by one. */
  withResults(toResults: ToResults): this {
    return this.settle(this.outcomes(), toResults)
  }

  protected settle(outcomes: Promise<readonly CallOutcome[]>, toResults: ToResults): this {
    this.#allOutcomes = outcomes
    this.#results = outcomes.then(toResults)
    const reportSettled = () => this.onSettled()
    this.#results.then(reportSettled, reportSettled)
    return this
  }

  /** Returns the messages that the calls which have ended add to the conversation. */
  protected listNewMessages(): readonly Message[] {
    return this.calls.flatMap(({ outcome }) => outcome?.newMessages ?? [])
  }

  /** Resolves with the outcome of one call. Rejects if the run did not accept the call. */
  protected waitForOutcome(index: number): Promise<CallOutcome> {
    return new Promise((resolve, reject) => {
      const call = this.calls[index]
      if (call === undefined) reject(new Error('The run has ended and accepts no further calls.'))
      else if (call.outcome !== undefined) resolve(call.outcome)
      else call.onOutcome = resolve
    })
  }

  protected allOutcomes(): Promise<readonly CallOutcome[]> {
    return this.#allOutcomes ?? this.outcomes()
  }

  /** Resolves all waiters: no further call will end. A run without results has then settled. */
  protected closeOutcomes(): void {
    this.endedPrefix.close()
    if (this.#results === undefined) this.onSettled()
  }
}

export function getOutcome(call: Call): CallOutcome {
  return call.outcome ?? toErrorOutcome(call, call.createNoOutcomeError())
}
