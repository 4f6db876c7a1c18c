import type { ToolUseBlock } from '../../../contract/messages.js'
import { isRecord } from '../../../shared/is-record.js'
import { reasonOf } from '../../../shared/reason-of.js'

/** A call, or the problem with it. */
export type LineItem = { readonly toolUse: ToolUseBlock } | { readonly problem: string }

export interface RunLine {
  /** Whether the line is a complete message. If not, its call belongs to the current message. */
  readonly isMessage: boolean
  readonly items: readonly LineItem[]
}

/** Parses a line: a `tool_use` block, an array of them, or an assistant message. */
export function parseRunLine(text: string): RunLine {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return createInvalidLine(`is not JSON: ${reasonOf(error)}`)
  }
  if (Array.isArray(value)) return { isMessage: true, items: value.map(parseToolUse) }
  const content = readAssistantContent(value)
  if (content !== undefined) return { isMessage: true, items: content.filter(isToolUse).map(parseToolUse) }
  return isToolUse(value) ? { isMessage: false, items: [parseToolUse(value)] } : createInvalidLine(UNKNOWN_LINE)
}

const UNKNOWN_LINE = 'is neither a tool_use block, an array of them nor an assistant message'

function createInvalidLine(problem: string): RunLine {
  return { isMessage: false, items: [{ problem }] }
}

/** Returns the content blocks of an API message or a transcript line; empty if the content is a string. */
function readAssistantContent(value: unknown): readonly unknown[] | undefined {
  if (!isRecord(value)) return undefined
  if (value.role !== 'assistant' && value.type !== 'assistant') return undefined
  const content = isRecord(value.message) ? value.message.content : value.content
  if (typeof content === 'string') return []
  return Array.isArray(content) ? content : undefined
}

function parseToolUse(value: unknown): LineItem {
  if (!isToolUse(value)) return { problem: 'contains a block that is not a tool_use block' }
  const { id, name, input } = value
  if (typeof id !== 'string' || id === '') return { problem: 'contains a tool_use block without id' }
  if (typeof name !== 'string') return { problem: `contains a tool_use block without name, ${JSON.stringify(id)}` }
  return { toolUse: { type: 'tool_use', id, name, input } }
}

function isToolUse(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && value.type === 'tool_use'
}
