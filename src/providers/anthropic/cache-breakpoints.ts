import type { AnthropicMessage } from './to-anthropic-messages.js'
import type { AnthropicTool } from './to-anthropic-tools.js'

const MARK = { cache_control: { type: 'ephemeral' } } as const
/** The API takes four marks in all: one for the tools, one for the system prompt, and these. */
const MARKED_TURNS = 2

export interface CachedParts {
  tools: AnthropicTool[]
  system: { type: 'text'; text: string }[]
  messages: AnthropicMessage[]
}

/**
 * Marks up to where the provider should keep what it read: the built-in tools, the system prompt,
 * and the last turns of the user, the older of which the former request ended with.
 */
export function withCacheBreakpoints({ tools, system, messages }: CachedParts, builtInTools: number): CachedParts {
  // A tool that is held back cannot carry a mark.
  const lastTool = tools.findLastIndex((tool, index) => index < builtInTools && tool.defer_loading !== true)
  const turns = new Set<AnthropicMessage>(messages.filter(({ role }) => role === 'user').slice(-MARKED_TURNS))
  return {
    tools: marked(tools, lastTool),
    system: marked(system, system.length - 1),
    messages: messages.map((message) => (turns.has(message) ? markedMessage(message) : message)),
  }
}

function markedMessage(message: AnthropicMessage): AnthropicMessage {
  if (message.role !== 'user') return message
  return { ...message, content: marked(message.content, message.content.length - 1) }
}

function marked<Part extends object>(parts: Part[], at: number): Part[] {
  return parts.map((part, index) => (index === at ? { ...part, ...MARK } : part))
}
