import type { AnthropicMessage } from './to-anthropic-messages.js'
import type { AnthropicTool } from './to-anthropic-tools.js'

const MARK = { cache_control: { type: 'ephemeral' } } as const
/** The API takes four marks in all: one for the tools, one for the system prompt, and these. */
const MARKED_TURNS = 2

/** Marks up to where the provider should keep what it read: here the built-in tools. A tool that is held back cannot carry a mark. */
export function markedTools(tools: AnthropicTool[], builtInTools: number): AnthropicTool[] {
  return marked(
    tools,
    tools.findLastIndex((tool, index) => index < builtInTools && tool.defer_loading !== true),
  )
}

export function markedLast<Part extends object>(parts: Part[]): Part[] {
  return marked(parts, parts.length - 1)
}

/** Where the last turns of the user stand, the older of which the former request ended with. */
export function markedTurns(messages: readonly AnthropicMessage[]): readonly number[] {
  return messages.flatMap(({ role }, index) => (role === 'user' ? [index] : [])).slice(-MARKED_TURNS)
}

export function markedMessage(message: AnthropicMessage): AnthropicMessage {
  return message.role === 'user' ? { ...message, content: markedLast(message.content) } : message
}

function marked<Part extends object>(parts: Part[], at: number): Part[] {
  return parts.map((part, index) => (index === at ? { ...part, ...MARK } : part))
}
