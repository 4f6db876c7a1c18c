import type { ToolDefinition } from '../../contract/messages.js'

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
