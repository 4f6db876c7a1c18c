import type { Message } from '../../contract/messages.js'
import { printable } from '../../shared/printable.js'

const LONGEST = 100

/** What a list calls a session by: how its first prompt begins. Undefined for a message that is no prompt. */
export function titleOf(message: Message): string | undefined {
  if (message.type !== 'user') return undefined
  const text = textOf(message.content)
  return text === undefined ? undefined : shortTitle(text)
}

export function shortTitle(text: string): string | undefined {
  // Of a long prompt, no more is looked at than can be shown.
  const words = text
    .slice(0, 4 * LONGEST)
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return undefined
  const line = [...printable(words.join(' '))]
  return line.length <= LONGEST ? line.join('') : `${line.slice(0, LONGEST - 1).join('')}…`
}

function textOf(content: (Message & { type: 'user' })['content']): string | undefined {
  if (typeof content === 'string') return content
  const block = content.find((part) => part.type === 'text')
  return block?.type === 'text' ? block.text : undefined
}
