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
import { blockNote } from '../common/block-note.js'

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

/** A result as Anthropic's messages take it. */
export interface AnthropicResult {
  type: 'tool_result'
  tool_use_id: string
  content: string | AnthropicResultContent[]
  is_error?: boolean
}

/** The results as blocks of one user message. What the API would refuse the message for becomes a note. */
export function toAnthropicResults(results: readonly ToolResultBlock[]): AnthropicResult[] {
  return results.map(({ tool_use_id, content, is_error }) => ({
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
export type AnthropicResultContent = AnthropicContent | { type: 'tool_reference'; tool_name: string }

/** What the API would refuse the message for becomes a note. */
function toAnthropicContent(block: ToolResultContent): AnthropicResultContent {
  if (block.type === 'tool_reference') return { ...block }
  return toAnthropicUserContent(block)
}

function toAnthropicUserContent(block: Exclude<ToolResultContent, { type: 'tool_reference' }>): AnthropicContent {
  if (block.type === 'image') return imageOf(block)
  return block.type === 'document' ? documentOf(block) : { ...block }
}

function imageOf(block: ImageBlock): AnthropicText | AnthropicImage {
  const { source } = block
  if (source.type === 'url') return { type: 'image', source: { ...source } }
  const mediaType = IMAGE_TYPES.find((type) => type === source.media_type)
  if (mediaType === undefined) return { type: 'text', text: blockNote(block) }
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: source.data } }
}

function documentOf(block: DocumentBlock): AnthropicText | AnthropicDocument {
  const { source, title } = block
  const named = title === undefined ? {} : { title }
  if (source.type === 'url') return { type: 'document', source: { ...source }, ...named }
  const { media_type, data } = source
  if (media_type !== 'application/pdf') return { type: 'text', text: blockNote(block) }
  return { type: 'document', source: { type: 'base64', media_type, data }, ...named }
}

/** A tool as Anthropic's messages take it. */
export interface AnthropicTool {
  name: string
  description: string
  input_schema: { type: 'object'; [key: string]: unknown }
  strict?: boolean
  defer_loading?: boolean
}

/** What the model is told of the tools: the same, in types that can be changed, as the SDK wants them. */
export function toAnthropicTools(definitions: readonly ToolDefinition[]): AnthropicTool[] {
  return definitions.map(({ name, description, input_schema, strict, defer_loading }) => ({
    name,
    description,
    input_schema: { ...input_schema, type: 'object' },
    ...(strict !== undefined && { strict }),
    ...(defer_loading !== undefined && { defer_loading }),
  }))
}
