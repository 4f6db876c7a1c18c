import type { Message, ToolResultContent } from '../../contract/messages.js'

/** A picture costs about as much, whatever its bytes. */
const IMAGE_TOKENS = 1_600
/** A page of a document. */
const DOCUMENT_TOKENS_PER_BYTE = 1 / 30
/** Code and JSON are denser than prose; too high a guess costs a summary too early, too low a refused request. */
const CHARS_PER_TOKEN = 3.3
const FRAME_TOKENS = 4

const known = new WeakMap<Message, number>()

/** About how many tokens a message costs. Messages never change, so that each is counted once. */
function messageTokens(message: Message): number {
  const counted = known.get(message)
  if (counted !== undefined) return counted
  const tokens = FRAME_TOKENS + count(message)
  known.set(message, tokens)
  return tokens
}

export function messagesTokens(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0)
}

function count(message: Message): number {
  if (message.type === 'attachment') return textTokens(JSON.stringify(message.data ?? null).length)
  if (typeof message.content === 'string') return textTokens(message.content.length)
  return message.content.reduce((sum, block) => sum + blockTokens(block), 0)
}

type Block = Exclude<Extract<Message, { type: 'user' | 'assistant' }>['content'], string>[number] | ToolResultContent

function blockTokens(block: Block): number {
  switch (block.type) {
    case 'text':
      return textTokens(block.text.length)
    case 'thinking':
      return textTokens(block.thinking.length)
    case 'redacted_thinking':
      return textTokens(block.data.length)
    case 'tool_use':
      return textTokens(block.name.length + (JSON.stringify(block.input) ?? '').length)
    case 'tool_result':
      return typeof block.content === 'string'
        ? textTokens(block.content.length)
        : block.content.reduce((sum, part) => sum + blockTokens(part), 0)
    case 'image':
      return IMAGE_TOKENS
    case 'document':
      return block.source.type === 'base64' ? block.source.data.length * DOCUMENT_TOKENS_PER_BYTE : IMAGE_TOKENS
    case 'tool_reference':
      return FRAME_TOKENS
  }
}

function textTokens(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN)
}
