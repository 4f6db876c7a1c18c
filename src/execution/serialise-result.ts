import { ToolCallError } from '../contract/errors.js'
import type { ToolResultBlock, ToolResultContent } from '../contract/messages.js'
import type { Tool } from '../contract/tool.js'

/** Makes the block that the model reads. Whatever the tool's own mapper does, the block answers this call and no other. */
export function serialiseResult(tool: Tool, data: unknown, toolUseId: string): ToolResultBlock {
  try {
    const block = tool.mapToolResultToToolResultBlockParam(data, toolUseId)
    if (isContent(block?.content)) {
      return block.type === 'tool_result' && block.tool_use_id === toolUseId
        ? block
        : { ...block, type: 'tool_result', tool_use_id: toolUseId }
    }
  } catch (cause) {
    throw new ToolCallError(
      'result_lost',
      `The result of ${tool.name} could not be put into words: ${messageOf(cause)}`,
      { cause },
    )
  }
  throw new ToolCallError('result_lost', `The result of ${tool.name} could not be put into words.`)
}

function isContent(content: unknown): content is ToolResultBlock['content'] {
  return (
    typeof content === 'string' || (Array.isArray(content) && content.every((block) => typeof block?.type === 'string'))
  )
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export function errorResult(toolUseId: string, error: ToolCallError): ToolResultBlock {
  return { type: 'tool_result', tool_use_id: toolUseId, content: error.message, is_error: true }
}

/** The block with what hooks had to say after it. */
export function withNotes(block: ToolResultBlock, notes: readonly string[]): ToolResultBlock {
  if (notes.length === 0) return block
  const text = `<hook-feedback>\n${notes.join('\n')}\n</hook-feedback>`
  if (typeof block.content === 'string')
    return { ...block, content: block.content === '' ? text : `${block.content}\n\n${text}` }
  const content: readonly ToolResultContent[] = [...block.content, { type: 'text', text }]
  return { ...block, content }
}
