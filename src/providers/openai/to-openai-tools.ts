import type { ToolDefinition } from '../../contract/messages.js'

/** A tool as OpenAI's chat completions take it. */
export interface OpenAITool {
  type: 'function'
  function: { name: string; description: string; parameters: Record<string, unknown> }
}

/**
 * What the model is told of the tools. `strict` is left out: there it demands that every property is required,
 * and the API refuses other schemas.
 */
export function toOpenAITools(definitions: readonly ToolDefinition[]): OpenAITool[] {
  return definitions.map(({ name, description, input_schema }) => ({
    type: 'function',
    function: { name, description, parameters: { ...input_schema } },
  }))
}
