import type { AttachmentMessage, Message } from '../../contract/messages.js'
import { isRecord } from '../../shared/is-record.js'

export const EARLIER_WORDS = 'earlier_words'

/** What the user said before a compaction, word for word: a summary is the model's, and could leave out what they forbade. */
export function earlierWords(words: string): AttachmentMessage {
  return { type: 'attachment', kind: EARLIER_WORDS, data: { words } }
}

/** The words in such a message; undefined for any other. */
export function earlierWordsIn(message: Message): string | undefined {
  if (message.type !== 'attachment' || message.kind !== EARLIER_WORDS || !isRecord(message.data)) return undefined
  const { words } = message.data
  return typeof words === 'string' && words.trim() !== '' ? words : undefined
}
