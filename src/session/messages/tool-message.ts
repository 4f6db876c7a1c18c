import type { AttachmentMessage, Message, UserMessage } from '../../contract/messages.js'

export const TOOL_MESSAGE = 'tool_message'

/**
 * A message that a call adds to the conversation, in a form that cannot be mistaken for the user's own words: those
 * decide what auto mode lets through.
 */
export function toolMessage(message: Message): Message {
  if (message.type !== 'user') return message
  return { type: 'attachment', kind: TOOL_MESSAGE, data: { content: message.content } } satisfies AttachmentMessage
}

/** What the model reads of such a message; results of calls have no place in it. */
export function toolMessageContent(data: unknown): UserMessage['content'] {
  const { content } = (data ?? {}) as { readonly content?: unknown }
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.filter(({ type }: { type?: unknown }) => type === 'text' || type === 'image' || type === 'document')
}
