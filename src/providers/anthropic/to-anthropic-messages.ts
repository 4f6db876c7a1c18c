import type { AssistantMessage, ToolResultBlock, UserMessage } from '../../contract/messages.js'
import type { ModelMessage } from '../../contract/model.js'
import { isRecord } from '../../shared/is-record.js'
import { type AnthropicContent, toAnthropicUserContent } from './to-anthropic-content.js'
import { type AnthropicResult, toAnthropicResults } from './to-anthropic-results.js'

type AnthropicUserBlock = AnthropicContent | AnthropicResult

type AnthropicAssistantBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> }

export type AnthropicMessage =
  | { role: 'user'; content: AnthropicUserBlock[] }
  | { role: 'assistant'; content: AnthropicAssistantBlock[] }

/**
 * The conversation as the API takes it. Content is a list of blocks even where a string would do,
 * so that a mark for the cache changes nothing else.
 */
export function toAnthropicMessages(
  messages: readonly ModelMessage[],
  keepsThinking: (message: AssistantMessage) => boolean,
): AnthropicMessage[] {
  return messages
    .map((message) => {
      if (message.type === 'user') return once(spoken, message, () => ({ role: 'user', content: userBlocks(message) }))
      const keep = keepsThinking(message)
      return once(keep ? thoughtful : spoken, message, () => {
        return { role: 'assistant', content: assistantBlocks(message, keep) }
      })
    })
    .filter(({ content }) => content.length > 0)
}

/** Messages never change, so that each is translated once, with its thinking or without. */
const spoken = new WeakMap<ModelMessage, AnthropicMessage>()
const thoughtful = new WeakMap<ModelMessage, AnthropicMessage>()

function once(
  known: WeakMap<ModelMessage, AnthropicMessage>,
  message: ModelMessage,
  translate: () => AnthropicMessage,
): AnthropicMessage {
  const before = known.get(message)
  if (before !== undefined) return before
  const translated = translate()
  known.set(message, translated)
  return translated
}

function userBlocks({ content }: UserMessage): AnthropicUserBlock[] {
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
  const kept = blocks.filter((block) => block.type !== 'text' || !isBlank(block.text))
  // A turn of the user has to stay one, or those of the assistant around it would become one.
  if (kept.length === 0) return [{ type: 'text', text: '(no text)' }]
  return kept.flatMap((block): AnthropicUserBlock[] => {
    return block.type === 'tool_result' ? resultOf(block) : [toAnthropicUserContent(block)]
  })
}

function resultOf(block: ToolResultBlock): AnthropicResult[] {
  return toAnthropicResults([{ ...block, tool_use_id: idOf(block.tool_use_id) }])
}

function assistantBlocks({ content }: AssistantMessage, keepThinking: boolean): AnthropicAssistantBlock[] {
  const blocks = content.flatMap((block) => assistantBlock(block, keepThinking))
  // The API refuses a message that ends in thinking, as one does that was cut there.
  return blocks.slice(0, blocks.findLastIndex(({ type }) => type === 'text' || type === 'tool_use') + 1)
}

function assistantBlock(block: AssistantMessage['content'][number], keepThinking: boolean): AnthropicAssistantBlock[] {
  switch (block.type) {
    case 'text':
      return isBlank(block.text) ? [] : [{ type: 'text', text: block.text }]
    case 'tool_use':
      return [{ type: 'tool_use', id: idOf(block.id), name: block.name, input: inputOf(block.input) }]
    case 'redacted_thinking':
      return keepThinking ? [{ type: 'redacted_thinking', data: block.data }] : []
    case 'thinking': {
      const { thinking, signature, id } = block
      // What another provider signed or nobody did, the API refuses the whole request for.
      if (!keepThinking || signature === undefined || signature === '' || id !== undefined) return []
      return [{ type: 'thinking', thinking, signature }]
    }
  }
}

/** The API refuses a text without anything to read. */
function isBlank(text: string): boolean {
  return text.trim() === ''
}

/** The API takes only an object; the model shall still see what it wrote. */
function inputOf(input: unknown): Record<string, unknown> {
  return isRecord(input) ? input : { invalid_input: input ?? null }
}

/** Other providers name their calls in characters that this API refuses. */
function idOf(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_')
}
