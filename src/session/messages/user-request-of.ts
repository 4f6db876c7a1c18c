import type { Message } from '../../contract/messages.js'
import { earlierWordsIn } from './earlier-words.js'

/** As much as a classifier needs; the latest words count most. */
const MAX_CHARS = 8_000

/**
 * What the user asked for, in their own words: for the classifier of auto mode. Results of calls, attachments, what
 * hooks say and what was piped are never a part of it, because anybody may have written them.
 */
export function userRequestOf({ messages }: { readonly messages: readonly Message[] }): string {
  const prompts: string[] = []
  let room = MAX_CHARS
  for (let at = messages.length - 1; at >= 0 && room > 0; at--) {
    const prompt = ownWordsIn(messages[at])
    if (prompt === undefined) continue
    prompts.push(shortened(prompt, room))
    room -= prompt.length
  }
  return prompts.reverse().join('\n\n')
}

/** Its beginning and its end: what is forbidden often comes last. */
function shortened(prompt: string, room: number): string {
  if (prompt.length <= room) return prompt
  const half = Math.floor(room / 2)
  return `${prompt.slice(0, half)}\n[…]\n${prompt.slice(prompt.length - half)}`
}

/** What of a prompt are the user's own words: what they hand on with them, others may have written. */
function ownWordsIn(message: Message | undefined): string | undefined {
  if (message?.type === 'attachment') return earlierWordsIn(message)
  const prompt = promptIn(message)
  if (prompt === undefined || message?.type !== 'user') return undefined
  return spoken(prompt.slice(0, message.ownLength))
}

/** What the user said in a message, if it is theirs, with all that they handed on. */
export function promptIn(message: Message | undefined): string | undefined {
  if (message?.type !== 'user') return undefined
  const { content } = message
  if (typeof content === 'string') return spoken(content)
  if (content.some(({ type }) => type === 'tool_result')) return undefined
  return spoken(content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n'))
}

function spoken(text: string): string | undefined {
  return text.trim() === '' ? undefined : text
}
