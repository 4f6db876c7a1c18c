import type { Message } from '../contract/messages.js'
import type { Conversation, MessageFacts } from './conversation.js'
import type { SessionEvent } from './session-event.js'

/** Makes a message a part of the conversation; the event tells of it. */
export function addMessage(conversation: Conversation, message: Message, facts: MessageFacts = {}): SessionEvent {
  conversation.add(message, facts)
  return { type: 'message-added', message, facts }
}
