import type { Message, ToolResultContent } from '../../contract/messages.js'
import { createIncrementalFold } from '../../shared/growing-list.js'
import { SNIP_ATTACHMENT } from '../messages/attachments.js'

/** An image costs about this much, independent of its size in bytes. */
const IMAGE_TOKENS = 1_600
const DOCUMENT_TOKENS_PER_BYTE = 1 / 30
/** Code and JSON are denser than prose. If the estimate is too high, conversations are compacted too early; if too low, requests are refused. */
const CHARS_PER_TOKEN = 3.3
/** An estimate of what a provider adds to the content of each message, such as its role. */
const FRAME_TOKENS = 4

/** The note that replaces removed steps, which the attachment also contains. */
const SNIP_TOKENS = 60

const tokensByMessage = new WeakMap<Message, number>()

/** Estimates the tokens of a message. Messages never change, so each is counted once. */
function estimateMessageTokens(message: Message): number {
  const knownTokens = tokensByMessage.get(message)
  if (knownTokens !== undefined) return knownTokens
  const tokens = FRAME_TOKENS + countTokens(message)
  tokensByMessage.set(message, tokens)
  return tokens
}

const sumTokens = createIncrementalFold<Message, { tokens: number }>(
  () => ({ tokens: 0 }),
  (sum, message) => {
    sum.tokens += estimateMessageTokens(message)
  },
)

export function estimateMessagesTokens(messages: readonly Message[]): number {
  return sumTokens(messages).tokens
}

export function estimateTextTokens(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN)
}

function countTokens(message: Message): number {
  if (message.type === 'attachment' && message.kind === SNIP_ATTACHMENT) return SNIP_TOKENS
  if (message.type === 'attachment') return estimateTextTokens(JSON.stringify(message.data ?? null).length)
  if (typeof message.content === 'string') return estimateTextTokens(message.content.length)
  return message.content.reduce((sum, block) => sum + estimateBlockTokens(block), 0)
}

type Block = Exclude<Extract<Message, { type: 'user' | 'assistant' }>['content'], string>[number] | ToolResultContent

function estimateBlockTokens(block: Block): number {
  switch (block.type) {
    case 'text':
      return estimateTextTokens(block.text.length)
    case 'thinking':
      return estimateTextTokens(block.thinking.length)
    case 'redacted_thinking':
      return estimateTextTokens(block.data.length)
    case 'tool_use':
      return estimateTextTokens(block.name.length + (JSON.stringify(block.input) ?? '').length)
    case 'tool_result':
      return typeof block.content === 'string'
        ? estimateTextTokens(block.content.length)
        : block.content.reduce((sum, part) => sum + estimateBlockTokens(part), 0)
    case 'image':
      return IMAGE_TOKENS
    case 'document':
      return block.source.type === 'base64' ? block.source.data.length * DOCUMENT_TOKENS_PER_BYTE : IMAGE_TOKENS
    case 'tool_reference':
      return FRAME_TOKENS
  }
}
