import { ToolCallError } from '../../contract/errors.js'
import type { ToolResultBlock, ToolResultContent } from '../../contract/messages.js'
import { isMcpTool } from '../../contract/tool/identity.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { CallScope } from '../call-scope.js'
import type { ReviewedCall } from '../call-states.js'
import { copyPlain } from '../copy-plain.js'

/** Makes the block that the model reads. Whatever the tool's own mapper does, the block answers this call and no other. */
export function serialiseResult({ tool, toolUse, result }: ReviewedCall, { notes }: CallScope): ToolResultBlock {
  let made: unknown
  try {
    made = tool.mapToolResultToToolResultBlockParam(result.data, toolUse.id)
    const block = plainBlock(made, toolUse.id)
    if (block !== undefined && !(isMcpTool(tool) && loadsTools(block))) return withNotes(block, notes)
  } catch (cause) {
    const message = `The result of ${tool.name} could not be put into words: ${reasonOf(cause)}`
    throw new ToolCallError('result_lost', message, { cause })
  }
  // A mapper that answers later is one that does not answer; how it ends is of no interest.
  if (made instanceof Promise) made.catch(() => {})
  throw new ToolCallError('result_lost', `The result of ${tool.name} could not be put into words.`)
}

/** Each field is read once and here, so that nothing of the tool's own can fail or change when the block is used. */
function plainBlock(made: unknown, toolUseId: string): ToolResultBlock | undefined {
  if (typeof made !== 'object' || made === null) return undefined
  const { content, is_error } = made as { content?: unknown; is_error?: unknown }
  const plain = typeof content === 'string' ? content : plainParts(content)
  if (plain === undefined) return undefined
  const block = { type: 'tool_result', tool_use_id: toolUseId, content: plain } as const
  return is_error === true ? { ...block, is_error } : block
}

function plainParts(content: unknown): ToolResultContent[] | undefined {
  if (!Array.isArray(content)) return undefined
  const parts = Array.from(content, plainPart)
  return parts.every(isContent) ? parts : undefined
}

function plainPart(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return undefined
  const plain: Record<string, unknown> = copyPlain({ ...part })
  const { source } = plain
  return typeof source === 'object' && source !== null ? { ...plain, source: { ...source } } : plain
}

function isContent(part: unknown): part is ToolResultContent {
  if (typeof part !== 'object' || part === null) return false
  const { type, text, source, tool_name } = part as Record<string, unknown>
  if (type === 'text') return typeof text === 'string'
  if (type === 'tool_reference') return typeof tool_name === 'string'
  return (type === 'image' || type === 'document') && typeof source === 'object' && source !== null
}

/** The provider loads what a reference names, which costs no character of any budget: not for a server to decide. */
function loadsTools({ content }: ToolResultBlock): boolean {
  return typeof content !== 'string' && content.some(({ type }) => type === 'tool_reference')
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
