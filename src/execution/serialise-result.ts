import { ToolCallError } from '../contract/errors.js'
import type { ToolResultBlock, ToolResultContent } from '../contract/messages.js'
import type { CallScope } from './call-scope.js'
import type { ReviewedCall } from './call-states.js'
import { reasonOf } from './reason-of.js'

/** Makes the block that the model reads. Whatever the tool's own mapper does, the block answers this call and no other. */
export function serialiseResult({ tool, toolUse, result }: ReviewedCall, { notes }: CallScope): ToolResultBlock {
  let block: unknown
  try {
    block = tool.mapToolResultToToolResultBlockParam(result.data, toolUse.id)
    if (isBlock(block)) return withNotes(answering(block, toolUse.id), notes)
  } catch (cause) {
    const message = `The result of ${tool.name} could not be put into words: ${reasonOf(cause)}`
    throw new ToolCallError('result_lost', message, { cause })
  }
  // A mapper that answers later is one that does not answer; how it ends is of no interest.
  if (block instanceof Promise) block.catch(() => {})
  throw new ToolCallError('result_lost', `The result of ${tool.name} could not be put into words.`)
}

function answering(block: ToolResultBlock, toolUseId: string): ToolResultBlock {
  return block.type === 'tool_result' && block.tool_use_id === toolUseId
    ? block
    : { ...block, type: 'tool_result', tool_use_id: toolUseId }
}

function isBlock(block: unknown): block is ToolResultBlock {
  if (typeof block !== 'object' || block === null) return false
  const { content } = block as { content?: unknown }
  return typeof content === 'string' || (Array.isArray(content) && content.every(isContent))
}

function isContent(part: unknown): part is ToolResultContent {
  if (typeof part !== 'object' || part === null) return false
  const { type, text, source, tool_name } = part as Record<string, unknown>
  if (type === 'text') return typeof text === 'string'
  if (type === 'tool_reference') return typeof tool_name === 'string'
  return (type === 'image' || type === 'document') && typeof source === 'object' && source !== null
}

export function errorResult(toolUseId: string, { message }: ToolCallError, notes: readonly string[]): ToolResultBlock {
  return withNotes({ type: 'tool_result', tool_use_id: toolUseId, content: String(message), is_error: true }, notes)
}

/** The block with what hooks had to say after it. */
function withNotes(block: ToolResultBlock, notes: readonly string[]): ToolResultBlock {
  if (notes.length === 0) return block
  const text = `<hook-feedback>\n${notes.join('\n')}\n</hook-feedback>`
  if (typeof block.content === 'string')
    return { ...block, content: block.content === '' ? text : `${block.content}\n\n${text}` }
  return { ...block, content: [...block.content, { type: 'text', text }] }
}
