import type {
  AssistantMessage,
  DocumentBlock,
  ImageBlock,
  TextBlock,
  ToolDefinition,
  ToolResultBlock,
  ToolUseBlock,
  UserMessage,
} from '../../contract/messages.js'
import type { ModelRequest } from '../../contract/model/model.js'
import { createPlaceholder } from '../common/block-placeholder.js'
import { toSendableTools } from '../common/sendable-request.js'
import {
  type ArgumentsForm,
  findReasoningField,
  type ReasoningField,
  toArguments,
  toFileData,
  toImageUrl,
} from './message-parts.js'

type ChatPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'file'; file: { filename: string; file_data: string } }

interface ChatToolCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

export type ChatMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | ChatPart[] }
  | { role: 'tool'; tool_call_id: string; content: string }
  | ({ role: 'assistant'; content: string | null; tool_calls?: ChatToolCall[] } & Partial<
      Record<ReasoningField, string>
    >)

export interface ChatForm {
  /** Whether the endpoint accepts PDF files as well as images. */
  readonly acceptsFiles: boolean
  /** Whether thinking is sent back in the field in which it was received. */
  readonly sendsReasoning: boolean
  readonly arguments: ArgumentsForm
}

/** Converts a request to chat messages. Each message is converted independently, so that the prefix stays cacheable. */
export function toChatMessages(
  { system, messages }: Pick<ModelRequest, 'system' | 'messages'>,
  form: ChatForm,
): ChatMessage[] {
  // All system texts are one message, because the chat templates of many models accept only one.
  const systemMessages: ChatMessage[] = system.length === 0 ? [] : [{ role: 'system', content: system.join('\n\n') }]
  return systemMessages.concat(
    messages.flatMap((message) => {
      return message.type === 'user' ? toUserMessages(message, form) : [toAssistantMessage(message, form)]
    }),
  )
}

function toUserMessages({ content }: UserMessage, form: ChatForm): ChatMessage[] {
  if (typeof content === 'string') return [{ role: 'user', content }]
  const results = content.filter((block) => block.type === 'tool_result')
  const otherBlocks = content.filter((block) => block.type !== 'tool_result')
  // Tool results may contain only text and must be consecutive, so images and files follow the last one.
  const parts = [
    ...results.flatMap((result) => toMediaParts(result, form)),
    ...otherBlocks.map((block) => toPart(block, form)),
  ]
  const resultMessages = results.map((result) => toResultMessage(result, form))
  if (parts.length === 0) return resultMessages.length > 0 ? resultMessages : [{ role: 'user', content: '' }]
  return [...resultMessages, { role: 'user', content: joinTexts(parts) }]
}

function toResultMessage({ tool_use_id, content, is_error }: ToolResultBlock, form: ChatForm): ChatMessage {
  const text = typeof content === 'string' ? content : content.map((block) => toResultText(block, form)).join('\n')
  // The API has no error flag, so the text states the failure.
  return { role: 'tool', tool_call_id: tool_use_id, content: is_error === true ? `Error: ${text}` : text }
}

type ResultPart = Exclude<ToolResultBlock['content'], string>[number]

function toResultText(block: ResultPart, form: ChatForm): string {
  if (block.type === 'text') return block.text
  return canBeShown(block, form) ? `[${block.type}: see the next message]` : createPlaceholder(block)
}

function canBeShown(block: ResultPart, form: ChatForm): block is ImageBlock | DocumentBlock {
  return (block.type === 'image' || block.type === 'document') && toPart(block, form).type !== 'text'
}

function toMediaParts({ tool_use_id, content }: ToolResultBlock, form: ChatForm): ChatPart[] {
  if (typeof content === 'string') return []
  const media = content.filter((block) => canBeShown(block, form))
  if (media.length === 0) return []
  return [{ type: 'text', text: `From the result of ${tool_use_id}:` }, ...media.map((block) => toPart(block, form))]
}

function toPart(block: TextBlock | ImageBlock | DocumentBlock, { acceptsFiles }: ChatForm): ChatPart {
  if (block.type === 'text') return { type: 'text', text: block.text }
  if (block.type === 'image') {
    const url = toImageUrl(block)
    if (url !== undefined) return { type: 'image_url', image_url: { url } }
  } else {
    const file = acceptsFiles ? toFileData(block) : undefined
    if (file !== undefined) return { type: 'file', file }
  }
  return { type: 'text', text: createPlaceholder(block) }
}

/** Joins text-only content to a string, which every server accepts. */
function joinTexts(parts: readonly ChatPart[]): string | ChatPart[] {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return texts.length === parts.length ? texts.join('\n\n') : [...parts]
}

function toAssistantMessage({ content }: AssistantMessage, form: ChatForm): ChatMessage {
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n')
  const calls = content.filter((block) => block.type === 'tool_use').map((call) => toChatCall(call, form))
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(form.sendsReasoning && toReasoningFields(content)),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

function toChatCall({ id, name, input }: ToolUseBlock, form: ChatForm): ChatToolCall {
  return { id, type: 'function', function: { name, arguments: toArguments(input, form.arguments) } }
}

function toReasoningFields(content: AssistantMessage['content']): Partial<Record<ReasoningField, string>> {
  const texts: Partial<Record<ReasoningField, string>> = {}
  for (const block of content) {
    const field = block.type === 'thinking' ? findReasoningField(block) : undefined
    if (block.type === 'thinking' && field !== undefined) texts[field] = `${texts[field] ?? ''}${block.thinking}`
  }
  return texts
}

/** A tool definition in the format of OpenAI's chat completions. */
export interface OpenAITool {
  type: 'function'
  function: { name: string; description: string; parameters: Record<string, unknown> }
}

/** Converts tool definitions. `strict` is omitted, because with it the API rejects schemas with optional properties. */
export function toOpenAITools(definitions: readonly ToolDefinition[]): OpenAITool[] {
  return toSendableTools(definitions).map(({ name, description, input_schema }) => ({
    type: 'function',
    function: { name, description, parameters: { ...input_schema } },
  }))
}
