import type { Message } from '../../contract/messages.js'
import type { ModelUsage } from '../../contract/model/model.js'

/** What is known of a message beside what it says. */
export interface MessageFacts {
  /** Of an assistant's message: who wrote it and what it cost. */
  readonly model?: string
  readonly usage?: ModelUsage
}

/** Why messages that were sent once are sent differently from now on. */
export type RewriteCause = 'compaction' | 'clearing'

/** Who writes down what happens to a conversation, before anything is done about it. */
export interface ConversationLog {
  messageAdded(message: Message, facts: MessageFacts): void
  messagesRewritten(messages: readonly Message[], cause: RewriteCause): void
}

/** The messages of one agent. They only grow, except when they are rewritten, which is an event of its own. */
export class Conversation {
  readonly #log: ConversationLog | undefined
  #messages: Message[]

  constructor(messages: readonly Message[] = [], log?: ConversationLog) {
    this.#messages = [...messages]
    this.#log = log
  }

  /**
   * The same array while messages are only added, so that work on it can continue where it stopped; a new array after a
   * rewrite. Copy it to keep its present state.
   */
  get messages(): readonly Message[] {
    return this.#messages
  }

  add(message: Message, facts: MessageFacts = {}): void {
    this.#log?.messageAdded(message, facts)
    this.#messages.push(message)
  }

  rewrite(messages: readonly Message[], cause: RewriteCause): void {
    this.#log?.messagesRewritten(messages, cause)
    this.#messages = [...messages]
  }
}
