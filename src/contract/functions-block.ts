import type { ToolDefinition } from './messages.js'

/** Definitions as text, a line for each tool: how a model learns of tools where the provider loads none by itself. */
export function functionsBlock(definitions: readonly ToolDefinition[]): string {
  return ['<functions>', ...definitions.map(functionLine), '</functions>'].join('\n')
}

function functionLine({ description, name, input_schema }: ToolDefinition): string {
  return `<function>${JSON.stringify({ description, name, parameters: input_schema }).replaceAll('</', ESCAPED)}</function>`
}

/** The same in JSON, but no server's description can close the block around it. */
const ESCAPED = '<\\/'
