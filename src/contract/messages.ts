import type { JsonSchema } from './schema.js'

/** Content blocks in the shape of the Anthropic Messages API; providers translate them for other models. */
export interface TextBlock {
  readonly type: 'text'
  readonly text: string
}

export interface ImageBlock {
  readonly type: 'image'
  readonly source: Base64Source | UrlSource
}

export interface DocumentBlock {
  readonly type: 'document'
  readonly source: Base64Source | UrlSource
  readonly title?: string
}

interface Base64Source {
  readonly type: 'base64'
  readonly media_type: string
  readonly data: string
}

interface UrlSource {
  readonly type: 'url'
  readonly url: string
}

/** Goes back to the provider as it came: it is signed there. */
export interface ThinkingBlock {
  readonly type: 'thinking'
  readonly thinking: string
  readonly signature?: string
  /** Where the provider knows it by one. */
  readonly id?: string
}

/** Thinking that the provider shows nobody. */
export interface RedactedThinkingBlock {
  readonly type: 'redacted_thinking'
  readonly data: string
}

/** Stands for the definition of a deferred tool where the provider loads it by itself. */
export interface ToolReferenceBlock {
  readonly type: 'tool_reference'
  readonly tool_name: string
}

export interface ToolUseBlock {
  readonly type: 'tool_use'
  readonly id: string
  readonly name: string
  readonly input: unknown
}

export type ToolResultContent = TextBlock | ImageBlock | DocumentBlock | ToolReferenceBlock

export interface ToolResultBlock {
  readonly type: 'tool_result'
  readonly tool_use_id: string
  readonly content: string | readonly ToolResultContent[]
  readonly is_error?: boolean
}

export interface UserMessage {
  readonly type: 'user'
  readonly content: string | readonly (TextBlock | ImageBlock | DocumentBlock | ToolResultBlock)[]
  /** So many characters of a text are the user's own words, and the rest was handed on, by a pipe for instance. All if left out. */
  readonly ownLength?: number
}

export interface AssistantMessage {
  readonly type: 'assistant'
  readonly id?: string
  readonly content: readonly (TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock)[]
}

/** Something the host adds to the conversation, such as discovered tools or a changed file. */
export interface AttachmentMessage {
  readonly type: 'attachment'
  readonly kind: string
  readonly data: unknown
}

export interface SystemMessage {
  readonly type: 'system'
  readonly content: string
}

export type Message = UserMessage | AssistantMessage | AttachmentMessage | SystemMessage

/** What a model is told about one tool. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly input_schema: JsonSchema
  readonly strict?: boolean
  /** The provider holds the definition back until a `tool_reference` names it. */
  readonly defer_loading?: true
}

/** The block for a result that is plain text. */
export function textResult(toolUseId: string, text: string): ToolResultBlock {
  return { type: 'tool_result', tool_use_id: toolUseId, content: text }
}
