import { ToolCallError } from '../../contract/errors.js'
import type { ToolResultBlock, ToolResultContent } from '../../contract/messages.js'
import { isMcpTool } from '../../contract/tool/identity.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { Call } from '../call.js'
import { copyPlain } from '../copy-plain.js'
import type { ReviewedCall } from './run-post-hooks.js'

/** Creates the block that the model reads. The block always answers this call, whatever the tool's mapper returns. */
export function serialiseResult({ call, tool, result }: ReviewedCall): ToolResultBlock {
  let mappedResult: unknown
  try {
    mappedResult = tool.mapToolResultToToolResultBlockParam(result.data, call.toolUse.id)
    const block = toPlainBlock(mappedResult, call.toolUse.id)
    if (block !== undefined && !(isMcpTool(tool) && loadsTools(block))) return appendNotes(block, call)
  } catch (cause) {
    const message = `The result of ${tool.name} could not be serialised: ${reasonOf(cause)}`
    throw new ToolCallError('result_lost', message, { cause })
  }
  // Mappers must be synchronous; a rejection of this promise must not end the process.
  if (mappedResult instanceof Promise) mappedResult.catch(() => {})
  throw new ToolCallError('result_lost', `The result of ${tool.name} could not be serialised: its content is invalid.`)
}

/** Copies each field once, so that getters of the tool's object cannot fail or change later. */
function toPlainBlock(mappedResult: unknown, toolUseId: string): ToolResultBlock | undefined {
  if (typeof mappedResult !== 'object' || mappedResult === null) return undefined
  const { content, is_error } = mappedResult as { content?: unknown; is_error?: unknown }
  const plainContent = typeof content === 'string' ? content : toPlainParts(content)
  if (plainContent === undefined) return undefined
  const block = { type: 'tool_result', tool_use_id: toolUseId, content: plainContent } as const
  return is_error === true ? { ...block, is_error } : block
}

function toPlainParts(content: unknown): ToolResultContent[] | undefined {
  if (!Array.isArray(content)) return undefined
  const parts = Array.from(content, toPlainPart)
  return parts.every(isContent) ? parts : undefined
}

function toPlainPart(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return undefined
  const plainPart: Record<string, unknown> = copyPlain({ ...part })
  const { source } = plainPart
  return typeof source === 'object' && source !== null ? { ...plainPart, source: { ...source } } : plainPart
}

function isContent(part: unknown): part is ToolResultContent {
  if (typeof part !== 'object' || part === null) return false
  const { type, text, source, tool_name } = part as Record<string, unknown>
  if (type === 'text') return typeof text === 'string'
  if (type === 'tool_reference') return typeof tool_name === 'string'
  return (type === 'image' || type === 'document') && typeof source === 'object' && source !== null
}

/**
 * Whether a block contains references. The provider loads every tool that a reference names, outside the result budget. An MCP
 * server must not trigger that.
 */
function loadsTools({ content }: ToolResultBlock): boolean {
  return typeof content !== 'string' && content.some(({ type }) => type === 'tool_reference')
}

export function toErrorResult(toolUseId: string, { message }: ToolCallError, call: CallNotes): ToolResultBlock {
  return appendNotes({ type: 'tool_result', tool_use_id: toolUseId, content: String(message), is_error: true }, call)
}

/** What the model is told about a call in addition to its result. */
type CallNotes = Pick<Call, 'notes' | 'inputChanges'>

/** Appends to the block what changed the input, and the feedback of hooks. */
function appendNotes(block: ToolResultBlock, { notes, inputChanges }: CallNotes): ToolResultBlock {
  if (notes.length === 0 && inputChanges.length === 0) return block
  const feedback = notes.length === 0 ? [] : [`<hook-feedback>\n${notes.join('\n')}\n</hook-feedback>`]
  const text = [...inputChanges.map((change) => `[${change}]`), ...feedback].join('\n\n')
  if (typeof block.content === 'string')
    return { ...block, content: block.content === '' ? text : `${block.content}\n\n${text}` }
  return { ...block, content: [...block.content, { type: 'text', text }] }
}
