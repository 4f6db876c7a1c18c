import type { ToolResultBlock } from '../contract/messages.js'
import { type MessageResult, sentBlock, sentChars } from './message-result.js'
import { type SettleOptions, settleResults } from './settle-results.js'

/** A user message whose results go out one after the other: what is out counts, and can no longer be replaced. */
export class OpenMessage {
  readonly #options: Omit<SettleOptions, 'sentChars'>
  #sentChars = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: Omit<SettleOptions, 'sentChars'>) {
    this.#options = options
  }

  /** The blocks to write now, for results that became ready together; largest first among these alone. */
  send(results: readonly MessageResult[]): Promise<readonly ToolResultBlock[]> {
    const sending = this.#last.then(() => this.#send(results))
    this.#last = sending
    return sending
  }

  async #send(results: readonly MessageResult[]): Promise<readonly ToolResultBlock[]> {
    const settled = await settleResults(results, { ...this.#options, sentChars: this.#sentChars })
    for (const result of settled) this.#sentChars += sentChars(result)
    return settled.map(sentBlock)
  }
}
