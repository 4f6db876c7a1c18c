import type { Message } from '../../contract/messages.js'
import { COMPACTION_SUMMARY, compactedPrompts } from './compaction-summary.js'

/** As much as a classifier needs; the latest words count most. */
const MAX_CHARS = 8_000

/**
 * What the user asked for, in their own words: for the classifier of auto mode. Results of calls, attachments and what
 * hooks say are never a part of it, because anybody may have written them.
 */
export function userRequestOf({ messages }: { readonly messages: readonly Message[] }): string {
  const prompts: string[] = []
  let room = MAX_CHARS
  for (let at = messages.length - 1; at >= 0 && room > 0; at--) {
    for (const prompt of promptsIn(messages[at]).toReversed()) {
      if (room <= 0) break
      prompts.push(prompt.slice(0, room))
      room -= prompt.length
    }
  }
  return prompts.reverse().join('\n\n')
}

/** The user's own prompts in a message. */
export function promptsIn(message: Message | undefined): readonly string[] {
  if (message?.type === 'attachment' && message.kind === COMPACTION_SUMMARY) return compactedPrompts(message.data)
  if (message?.type !== 'user') return []
  const { content } = message
  if (typeof content === 'string') return content.trim() === '' ? [] : [content]
  if (content.some(({ type }) => type === 'tool_result')) return []
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
  return text.trim() === '' ? [] : [text]
}
