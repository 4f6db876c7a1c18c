import type { JsonSchema } from './schema.js'

/** Text. All content blocks have the format of the Anthropic Messages API; providers convert them for other models. */
export interface TextBlock {
  readonly type: 'text'
  readonly text: string
}

/** An image, embedded or at a URL. */
export interface ImageBlock {
  readonly type: 'image'
  readonly source: Base64Source | UrlSource
}

/** A document, such as a PDF, embedded or at a URL. */
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

/** Reasoning of the model. It must be sent back unchanged, because the provider signs it. */
export interface ThinkingBlock {
  readonly type: 'thinking'
  readonly thinking: string
  readonly signature?: string
  /** The id that the provider gave this block, if any. */
  readonly id?: string
}

/** Reasoning that the provider has encrypted. */
export interface RedactedThinkingBlock {
  readonly type: 'redacted_thinking'
  readonly data: string
}

/** Refers to the definition of a deferred tool, for providers that load it themselves. */
export interface ToolReferenceBlock {
  readonly type: 'tool_reference'
  readonly tool_name: string
}

/** A tool call by the model. */
export interface ToolUseBlock {
  readonly type: 'tool_use'
  readonly id: string
  readonly name: string
  readonly input: unknown
}

/** A block of a result whose content is not a plain string. */
export type ToolResultContent = TextBlock | ImageBlock | DocumentBlock | ToolReferenceBlock

/** The result of the call that `tool_use_id` names. */
export interface ToolResultBlock {
  readonly type: 'tool_result'
  readonly tool_use_id: string
  readonly content: string | readonly ToolResultContent[]
  readonly is_error?: boolean
}

/** A message from the user, or the results of calls. */
export interface UserMessage {
  readonly type: 'user'
  readonly content: string | readonly (TextBlock | ImageBlock | DocumentBlock | ToolResultBlock)[]
  /** Number of leading characters that the user typed; the remaining ones come from another source, such as piped input. Default: all. */
  readonly ownLength?: number
}

/** A message from the model. */
export interface AssistantMessage {
  readonly type: 'assistant'
  readonly id?: string
  readonly content: readonly (TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock)[]
}

/** Data that the host adds to the conversation, such as discovered tools or a changed file. */
export interface AttachmentMessage {
  readonly type: 'attachment'
  readonly kind: string
  readonly data: unknown
}

/** A message from Haft itself. */
export interface SystemMessage {
  readonly type: 'system'
  readonly content: string
}

/** Any message of a conversation. */
export type Message = UserMessage | AssistantMessage | AttachmentMessage | SystemMessage

/** A tool as it is described to the model. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly input_schema: JsonSchema
  readonly strict?: boolean
  /** Whether the provider withholds the definition from the model until a `tool_reference` names it. */
  readonly defer_loading?: true
}

/** Creates the result block for plain text. */
export function textResult(toolUseId: string, text: string): ToolResultBlock {
  return { type: 'tool_result', tool_use_id: toolUseId, content: text }
}

/** What an MCP server sends beside the content of a result: for hosts and clients, not for the model. */
export interface McpMeta {
  readonly _meta?: Readonly<Record<string, unknown>>
  readonly structuredContent?: unknown
}
