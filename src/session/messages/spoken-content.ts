import type { AssistantMessage } from '../../contract/messages.js'

type Content = AssistantMessage['content']

/**
 * What of an assistant's message can be sent back: without blank text, and without thoughts at its end, which providers
 * refuse because nothing came of them.
 */
export function spokenContent(content: Content): Content {
  const said = content.filter((block) => block.type !== 'text' || block.text.trim() !== '')
  return said.slice(0, said.findLastIndex(({ type }) => !THOUGHTS.has(type)) + 1)
}

const THOUGHTS: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking'])
