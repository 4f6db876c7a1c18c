import type { AttachmentMessage, Message, UserMessage } from '../../contract/messages.js'
import { isRecord } from '../../shared/is-record.js'
import { EARLIER_WORDS } from './earlier-words.js'

export const TOOL_MESSAGE = 'tool_message'

/**
 * A message that a call adds to the conversation, in a form that cannot be mistaken for the user's own words: those
 * decide what auto mode lets through.
 */
export function toolMessage(message: Message): Message {
  if (message.type === 'attachment' && message.kind === EARLIER_WORDS) return { ...message, kind: TOOL_MESSAGE }
  if (message.type !== 'user') return message
  return { type: 'attachment', kind: TOOL_MESSAGE, data: { content: message.content } } satisfies AttachmentMessage
}

/** What the model reads of such a message; results of calls have no place in it. */
export function toolMessageContent(data: unknown): UserMessage['content'] {
  const content = isRecord(data) ? data.content : undefined
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.filter(isShown) : []
}

function isShown(block: unknown): boolean {
  if (!isRecord(block)) return false
  return block.type === 'text' ? typeof block.text === 'string' : block.type === 'image' || block.type === 'document'
}
