import type { Message } from '../../contract/messages.js'
import { readEarlierPrompts } from './attachments.js'

/** Enough for a classifier. The latest prompts count most. */
const MAX_CHARS = 8_000

/**
 * Returns the user's request in their own words, for the classifier of auto mode. Results of calls, attachments, output of
 * hooks and piped input are never part of it, because anyone may have written them.
 */
export function userRequestOf({ messages }: { readonly messages: readonly Message[] }): string {
  const prompts: string[] = []
  let charsLeft = MAX_CHARS
  for (let index = messages.length - 1; index >= 0 && charsLeft > 0; index--) {
    const prompt = readOwnText(messages[index])
    if (prompt === undefined) continue
    prompts.push(shorten(prompt, charsLeft))
    charsLeft -= prompt.length
  }
  return prompts.reverse().join('\n\n')
}

/** Keeps the beginning and the end, because prohibitions often come last. */
function shorten(prompt: string, maxChars: number): string {
  if (prompt.length <= maxChars) return prompt
  const half = Math.floor(maxChars / 2)
  return `${prompt.slice(0, half)}\n[…]\n${prompt.slice(prompt.length - half)}`
}

/** Returns the part of a prompt that the user wrote. Piped text is left out, because others may have written it. */
function readOwnText(message: Message | undefined): string | undefined {
  if (message?.type === 'attachment') return readEarlierPrompts(message)
  const prompt = readPrompt(message)
  if (prompt === undefined || message?.type !== 'user') return undefined
  return dropBlank(prompt.slice(0, message.ownLength))
}

/** Returns the text of a user message, including piped text that others may have written. Undefined for results of calls. */
export function readPrompt(message: Message | undefined): string | undefined {
  if (message?.type !== 'user') return undefined
  const { content } = message
  if (typeof content === 'string') return dropBlank(content)
  if (content.some(({ type }) => type === 'tool_result')) return undefined
  return dropBlank(content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n'))
}

function dropBlank(text: string): string | undefined {
  return text.trim() === '' ? undefined : text
}
