import type {
  AssistantMessage,
  DocumentBlock,
  ImageBlock,
  ToolDefinition,
  ToolResultBlock,
  ToolResultContent,
  UserMessage,
} from '../../contract/messages.js'
import type { ModelMessage } from '../../contract/model/model.js'
import { isRecord } from '../../shared/is-record.js'
import { createPlaceholder } from '../common/block-placeholder.js'
import { type CallIdRule, toSendableResult, toSendableTools } from '../common/sendable-request.js'

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
 * Converts the conversation to the API's messages. Content is always a list of blocks,
 * so that adding a cache breakpoint changes nothing else.
 */
export function toAnthropicMessages(
  messages: readonly ModelMessage[],
  keepsThinking: (message: AssistantMessage) => boolean,
): AnthropicMessage[] {
  return messages
    .map((message) => {
      if (message.type === 'user')
        return memoise(translationsWithoutThinking, message, () => ({ role: 'user', content: toUserBlocks(message) }))
      const keepThinking = keepsThinking(message)
      return memoise(keepThinking ? translationsWithThinking : translationsWithoutThinking, message, () => {
        return { role: 'assistant', content: toAssistantBlocks(message, keepThinking) }
      })
    })
    .filter(({ content }) => content.length > 0)
}

/** Messages are immutable, so each is translated at most once with its thinking and once without. */
const translationsWithoutThinking = new WeakMap<ModelMessage, AnthropicMessage>()
const translationsWithThinking = new WeakMap<ModelMessage, AnthropicMessage>()

function memoise(
  cache: WeakMap<ModelMessage, AnthropicMessage>,
  message: ModelMessage,
  translate: () => AnthropicMessage,
): AnthropicMessage {
  const cached = cache.get(message)
  if (cached !== undefined) return cached
  const translatedMessage = translate()
  cache.set(message, translatedMessage)
  return translatedMessage
}

function toUserBlocks({ content }: UserMessage): AnthropicUserBlock[] {
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
  const nonBlankBlocks = blocks.filter((block) => block.type !== 'text' || !isBlank(block.text))
  // A user turn must not be dropped, because the assistant messages around it would be merged.
  if (nonBlankBlocks.length === 0) return [{ type: 'text', text: '(no text)' }]
  return nonBlankBlocks.flatMap((block): AnthropicUserBlock[] => {
    return block.type === 'tool_result' ? toAnthropicResults([block]) : [toAnthropicUserContent(block)]
  })
}

function toAssistantBlocks({ content }: AssistantMessage, keepsThinking: boolean): AnthropicAssistantBlock[] {
  const blocks = content.flatMap((block) => convertAssistantBlock(block, keepsThinking))
  // The API rejects a message that ends with thinking, which occurs if the message was cut off there.
  return blocks.slice(0, blocks.findLastIndex(({ type }) => type === 'text' || type === 'tool_use') + 1)
}

function convertAssistantBlock(
  block: AssistantMessage['content'][number],
  keepsThinking: boolean,
): AnthropicAssistantBlock[] {
  switch (block.type) {
    case 'text':
      return isBlank(block.text) ? [] : [{ type: 'text', text: block.text }]
    case 'tool_use':
      return [{ type: 'tool_use', id: block.id, name: block.name, input: toInputObject(block.input) }]
    case 'redacted_thinking':
      return keepsThinking ? [{ type: 'redacted_thinking', data: block.data }] : []
    case 'thinking': {
      const { thinking, signature, id } = block
      // The API rejects the whole request if thinking is unsigned or signed by another provider.
      if (!keepsThinking || signature === undefined || signature === '' || id !== undefined) return []
      return [{ type: 'thinking', thinking, signature }]
    }
  }
}

/** Whether a text is empty or blank, which the API rejects. */
function isBlank(text: string): boolean {
  return text.trim() === ''
}

/**
 * Returns the input as an object, because the API accepts nothing else. Invalid input is wrapped, so that the model still sees
 * what it wrote.
 */
function toInputObject(input: unknown): Record<string, unknown> {
  return isRecord(input) ? input : { invalid_input: input ?? null }
}

/** Other providers have IDs with more characters. */
export const ANTHROPIC_IDS: CallIdRule = { pattern: /^[a-zA-Z0-9_-]{1,64}$/ }

/** A tool result in the format of Anthropic's Messages API. */
export interface AnthropicResult {
  type: 'tool_result'
  tool_use_id: string
  content: string | AnthropicResultContent[]
  is_error?: boolean
}

/** Converts tool results to blocks for one user message. Content that the API would reject is replaced with a short text. */
export function toAnthropicResults(results: readonly ToolResultBlock[]): AnthropicResult[] {
  const sendableResults = results.map((block) => toSendableResult(block, ANTHROPIC_IDS))
  return sendableResults.map(({ tool_use_id, content, is_error }) => ({
    type: 'tool_result',
    tool_use_id,
    content: typeof content === 'string' ? content : content.map(toAnthropicContent),
    ...(is_error !== undefined && { is_error }),
  }))
}

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const
type ImageType = (typeof IMAGE_TYPES)[number]
type UrlSource = { type: 'url'; url: string }

type AnthropicText = { type: 'text'; text: string }
type AnthropicImage = {
  type: 'image'
  source: UrlSource | { type: 'base64'; media_type: ImageType; data: string }
}
type AnthropicDocument = {
  type: 'document'
  source: UrlSource | { type: 'base64'; media_type: 'application/pdf'; data: string }
  title?: string
}

type AnthropicContent = AnthropicText | AnthropicImage | AnthropicDocument
/** A content block of a tool result, as the Messages API accepts it. */
export type AnthropicResultContent = AnthropicContent | { type: 'tool_reference'; tool_name: string }

/** Converts one content block. A block that the API would reject is replaced with a short text. */
function toAnthropicContent(block: ToolResultContent): AnthropicResultContent {
  if (block.type === 'tool_reference') return { ...block }
  return toAnthropicUserContent(block)
}

function toAnthropicUserContent(block: Exclude<ToolResultContent, { type: 'tool_reference' }>): AnthropicContent {
  if (block.type === 'image') return toImage(block)
  return block.type === 'document' ? toDocument(block) : { ...block }
}

function toImage(block: ImageBlock): AnthropicText | AnthropicImage {
  const { source } = block
  if (source.type === 'url') return { type: 'image', source: { ...source } }
  const mediaType = IMAGE_TYPES.find((type) => type === source.media_type)
  if (mediaType === undefined) return { type: 'text', text: createPlaceholder(block) }
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: source.data } }
}

function toDocument(block: DocumentBlock): AnthropicText | AnthropicDocument {
  const { source, title } = block
  const titleField = title === undefined ? {} : { title }
  if (source.type === 'url') return { type: 'document', source: { ...source }, ...titleField }
  const { media_type, data } = source
  if (media_type !== 'application/pdf') return { type: 'text', text: createPlaceholder(block) }
  return { type: 'document', source: { type: 'base64', media_type, data }, ...titleField }
}

/** A tool definition in the format of Anthropic's Messages API. */
export interface AnthropicTool {
  name: string
  description: string
  input_schema: { type: 'object'; [key: string]: unknown }
  strict?: boolean
  defer_loading?: boolean
}

/** Converts tool definitions to the SDK's mutable types. The content stays the same. */
export function toAnthropicTools(definitions: readonly ToolDefinition[]): AnthropicTool[] {
  return toSendableTools(definitions).map(({ name, description, input_schema, strict, defer_loading }) => ({
    name,
    description,
    input_schema: { ...input_schema, type: 'object' },
    ...(strict !== undefined && { strict }),
    ...(defer_loading !== undefined && { defer_loading }),
  }))
}
