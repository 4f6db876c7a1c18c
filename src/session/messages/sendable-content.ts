import type { AssistantMessage } from '../../contract/messages.js'

type Content = AssistantMessage['content']

/**
 * Returns the part of an assistant message that can be sent back. Providers refuse blank text, and thinking at the end of
 * a message.
 */
export function sendableContent(content: Content): Content {
  const nonBlank = content.filter((block) => block.type !== 'text' || block.text.trim() !== '')
  return nonBlank.slice(0, nonBlank.findLastIndex(({ type }) => !THINKING.has(type)) + 1)
}

const THINKING: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking'])
