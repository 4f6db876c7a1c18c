import type { Message } from '../../../contract/messages.js'
import { printable } from '../../../shared/printable.js'

const MAX_TITLE_LENGTH = 100

/** Returns the title of a session from its first prompt. Undefined if the message is not a prompt. */
export function titleOf(message: Message): string | undefined {
  if (message.type !== 'user') return undefined
  const text = textOf(message.content)
  return text === undefined ? undefined : shortTitle(text)
}

export function shortTitle(text: string): string | undefined {
  // Avoids splitting a whole long prompt.
  const words = text
    .slice(0, 4 * MAX_TITLE_LENGTH)
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return undefined
  const line = [...printable(words.join(' '))]
  return line.length <= MAX_TITLE_LENGTH ? line.join('') : `${line.slice(0, MAX_TITLE_LENGTH - 1).join('')}…`
}

function textOf(content: (Message & { type: 'user' })['content']): string | undefined {
  if (typeof content === 'string') return content
  const block = content.find((part) => part.type === 'text')
  return block?.type === 'text' ? block.text : undefined
}
