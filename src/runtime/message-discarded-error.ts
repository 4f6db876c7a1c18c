import type { ToolResultBlock } from '../contract/messages.js'
import { reasonOf } from '../shared/reason-of.js'

/** The model's message broke off after some of its calls had begun: none of their results may reach the model. */
export class MessageDiscardedError extends Error {
  override readonly name = 'MessageDiscardedError'

  constructor(
    /** What the calls that had begun came to, so that their effects can be told. */
    readonly effects: readonly ToolResultBlock[],
    cause: unknown,
  ) {
    const reason = reasonOf(cause)
    super(`The message was discarded: ${reason}. ${effects.length} of its calls had begun.`, { cause })
  }
}
