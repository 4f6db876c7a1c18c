import type {
  AssistantMessage,
  DocumentBlock,
  ImageBlock,
  TextBlock,
  ThinkingBlock,
  ToolDefinition,
  ToolResultBlock,
  UserMessage,
} from '../../contract/messages.js'
import type { ModelMessage } from '../../contract/model/model.js'
import { createPlaceholder } from '../common/block-placeholder.js'
import { type ArgumentsForm, findReasoningField, toArguments, toFileData, toImageUrl } from './message-parts.js'

type InputPart =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' }
  | { type: 'input_file'; filename: string; file_data: string }
  | { type: 'input_file'; file_url: string }

export type InputItem =
  | { type: 'message'; role: 'user'; content: InputPart[] }
  | { type: 'message'; role: 'assistant'; content: string }
  | { type: 'reasoning'; id: string; summary: { type: 'summary_text'; text: string }[]; encrypted_content: string }
  | { type: 'function_call'; call_id: string; name: string; arguments: string }
  | { type: 'function_call_output'; call_id: string; output: string | InputPart[] }

export interface InputForm {
  readonly arguments: ArgumentsForm
  readonly sendsReasoning: boolean
}

/** Converts a conversation to the input of the Responses API. Each message is converted independently. */
export function toResponseInput(messages: readonly ModelMessage[], form: InputForm): InputItem[] {
  return messages.flatMap((message) => {
    return message.type === 'user' ? toUserItems(message) : toAssistantItems(message, form)
  })
}

export interface ResponseTool {
  type: 'function'
  name: string
  description: string
  parameters: Record<string, unknown>
  strict: false
}

/** Converts tool definitions. `strict` is false, because otherwise the API rejects optional properties. */
export function toResponseTools(definitions: readonly ToolDefinition[]): ResponseTool[] {
  return definitions.map(({ name, description, input_schema }) => ({
    type: 'function',
    name,
    description,
    parameters: { ...input_schema },
    strict: false,
  }))
}

function toUserItems({ content }: UserMessage): InputItem[] {
  if (typeof content === 'string') return [createUserItem([{ type: 'input_text', text: content }])]
  const results = content.filter((block) => block.type === 'tool_result')
  const otherBlocks = content.filter((block) => block.type !== 'tool_result')
  const items = results.map(toResultItem)
  return otherBlocks.length === 0 && items.length > 0 ? items : [...items, createUserItem(otherBlocks.map(toPart))]
}

function createUserItem(content: InputPart[]): InputItem {
  return { type: 'message', role: 'user', content }
}

/** Converts a result. The API has no error flag, so the text states the failure. */
function toResultItem({ tool_use_id, content, is_error }: ToolResultBlock): InputItem {
  const errorPrefix = is_error === true ? 'Error: ' : ''
  const outputFields = { type: 'function_call_output' as const, call_id: tool_use_id }
  if (typeof content === 'string') return { ...outputFields, output: `${errorPrefix}${content}` }
  const parts = content.map((block): InputPart => {
    return block.type === 'tool_reference' ? { type: 'input_text', text: createPlaceholder(block) } : toPart(block)
  })
  const texts = parts.flatMap((part) => (part.type === 'input_text' ? [part.text] : []))
  if (texts.length === parts.length) return { ...outputFields, output: `${errorPrefix}${texts.join('\n')}` }
  return {
    ...outputFields,
    output: errorPrefix === '' ? parts : [{ type: 'input_text', text: errorPrefix.trim() }, ...parts],
  }
}

function toPart(block: TextBlock | ImageBlock | DocumentBlock): InputPart {
  if (block.type === 'text') return { type: 'input_text', text: block.text }
  if (block.type === 'image') {
    const url = toImageUrl(block)
    if (url !== undefined) return { type: 'input_image', image_url: url, detail: 'auto' }
  } else {
    if (block.source.type === 'url') return { type: 'input_file', file_url: block.source.url }
    const file = toFileData(block)
    if (file !== undefined) return { type: 'input_file', ...file }
  }
  return { type: 'input_text', text: createPlaceholder(block) }
}

function toAssistantItems({ content }: AssistantMessage, form: InputForm): InputItem[] {
  const items = content.flatMap((block): InputItem[] => {
    if (block.type === 'text') {
      return block.text === '' ? [] : [{ type: 'message', role: 'assistant', content: block.text }]
    }
    if (block.type === 'thinking') return form.sendsReasoning ? toReasoningItems(block) : []
    if (block.type === 'redacted_thinking') return []
    const { id, name, input } = block
    return [{ type: 'function_call', call_id: id, name, arguments: toArguments(input, form.arguments) }]
  })
  // The API rejects trailing reasoning, which remains if a message was cut off at the token limit.
  return items.slice(0, items.findLastIndex(({ type }) => type !== 'reasoning') + 1)
}

/** Returns reasoning that this API encrypted; nothing for thinking from other providers, which the API rejects. */
function toReasoningItems(block: ThinkingBlock): InputItem[] {
  const { id, thinking, signature } = block
  if (id === undefined || signature === undefined || findReasoningField(block) !== undefined) return []
  const summary = thinking === '' ? [] : [{ type: 'summary_text' as const, text: thinking }]
  return [{ type: 'reasoning', id, summary, encrypted_content: signature }]
}
