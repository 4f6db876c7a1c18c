import type { Message } from '../../contract/messages.js'
import type { Model, ModelRequest } from '../../contract/model/model.js'
import type { EmitEvent, MessageFacts, RewriteCause } from './session-event.js'

/** Records changes of a conversation before they take effect. */
export interface ConversationLog {
  messageAdded(message: Message, facts: MessageFacts): void
  messagesRewritten(messages: readonly Message[], cause: RewriteCause): void
  /** Records what a request contains, before it is sent. */
  requestSent?(request: ModelRequest, model: Model): void
}

/** The messages of one agent. Messages are only added, except by `rewrite`. */
export class Conversation {
  readonly #log: ConversationLog | undefined
  #messages: Message[]
  #rewriteCount = 0

  constructor(messages: readonly Message[] = [], log?: ConversationLog) {
    this.#messages = [...messages]
    this.#log = log
  }

  /**
   * The same array while messages are only added, so that a computation over it can continue where it stopped; a new
   * array after a rewrite. Copy the array to keep its present state.
   */
  get messages(): readonly Message[] {
    return this.#messages
  }

  add(message: Message, facts: MessageFacts = {}): void {
    this.#log?.messageAdded(message, facts)
    this.#messages.push(message)
  }

  /** How often the conversation was rewritten. Token counts from before a rewrite no longer apply. */
  get rewriteCount(): number {
    return this.#rewriteCount
  }

  /** Records a request about this conversation, before it is sent. */
  recordRequest(request: ModelRequest, model: Model): void {
    this.#log?.requestSent?.(request, model)
  }

  rewrite(messages: readonly Message[], cause: RewriteCause): void {
    this.#log?.messagesRewritten(messages, cause)
    this.#messages = [...messages]
    this.#rewriteCount++
  }
}

/** Adds a message to the conversation and emits the event. */
export function addMessage(
  { conversation, emit }: { readonly conversation: Conversation; readonly emit: EmitEvent },
  message: Message,
  facts: MessageFacts = {},
): void {
  conversation.add(message, facts)
  emit({ type: 'message-added', message, facts })
}
