import type { ModelUsage } from '../../contract/model/model.js'

/** What the provider counted in its last answer. */
export interface CountedMessages {
  readonly usage: ModelUsage
  /** How many messages of the conversation that takes in: those it was sent, and the answer itself. */
  readonly messages: number
}
