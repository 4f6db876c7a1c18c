import type { Message, ToolResultBlock, UserMessage } from '../../contract/messages.js'

/** The last messages with results are kept, because the model works with them. */
const KEPT_RESULT_MESSAGE_COUNT = 8
/** Shorter results are kept: clearing them saves little, and the preview of a long result contains its path. */
const MIN_CLEARED_CHARS = 2_500

export interface ClearedMessages {
  readonly messages: readonly Message[]
  readonly clearedResults: number
}

/**
 * Replaces the results of old calls with a note. The calls stay, and so do the results of `keptTools`: the
 * instructions of a skill apply to the whole conversation.
 */
export function clearOldResults(messages: readonly Message[], keptTools: ReadonlySet<string>): ClearedMessages {
  const keptCalls = new Set(messages.flatMap((message) => callsOf(message, keptTools)))
  const resultMessages = messages.filter(hasResults)
  const keptMessages = new Set<Message>(resultMessages.slice(-KEPT_RESULT_MESSAGE_COUNT))
  let clearedResults = 0
  const clearedMessages = messages.map((message) => {
    if (!hasResults(message) || keptMessages.has(message)) return message
    const content = message.content.map((block) => {
      if (block.type !== 'tool_result' || keptCalls.has(block.tool_use_id) || !isWorthClearing(block)) return block
      clearedResults++
      return { ...block, content: CLEARED_NOTE }
    })
    return content.some((block, index) => block !== message.content[index]) ? { ...message, content } : message
  })
  return { messages: clearedMessages, clearedResults }
}

const CLEARED_NOTE = '[This result was cleared to make room. Repeat the call if you need it.]'

function callsOf(message: Message, tools: ReadonlySet<string>): readonly string[] {
  if (message.type !== 'assistant') return []
  return message.content.flatMap((block) => (block.type === 'tool_use' && tools.has(block.name) ? [block.id] : []))
}

type ResultMessage = UserMessage & { readonly content: Exclude<UserMessage['content'], string> }

function hasResults(message: Message): message is ResultMessage {
  return (
    message.type === 'user' &&
    typeof message.content !== 'string' &&
    message.content.some(({ type }) => type === 'tool_result')
  )
}

function isWorthClearing({ content }: ToolResultBlock): boolean {
  if (typeof content === 'string') return content.length >= MIN_CLEARED_CHARS
  // A tool stays loaded only while its reference is in the conversation.
  if (content.some(({ type }) => type === 'tool_reference')) return false
  const chars = content.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : MIN_CLEARED_CHARS), 0)
  return chars >= MIN_CLEARED_CHARS
}
