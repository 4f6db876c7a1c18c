import type { Message } from '../contract/messages.js'
import type { ModelUsage } from '../contract/model/model.js'

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

/** The messages of one agent. It only grows, but for a rewrite, which is an event of its own. */
export class Conversation {
  readonly #log: ConversationLog | undefined
  #messages: readonly Message[]

  constructor(messages: readonly Message[] = [], log?: ConversationLog) {
    this.#messages = messages
    this.#log = log
  }

  get messages(): readonly Message[] {
    return this.#messages
  }

  add(message: Message, facts: MessageFacts = {}): void {
    this.#log?.messageAdded(message, facts)
    this.#messages = [...this.#messages, message]
  }

  rewrite(messages: readonly Message[], cause: RewriteCause): void {
    this.#log?.messagesRewritten(messages, cause)
    this.#messages = messages
  }
}
