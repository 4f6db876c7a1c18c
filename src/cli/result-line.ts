import type { ToolResultBlock } from '../contract/messages.js'

/** A result as other programs read it: on one line, `is_error` only where it is true. */
export function resultLine({ tool_use_id, content, is_error }: ToolResultBlock): string {
  return `${JSON.stringify({ type: 'tool_result', tool_use_id, content, ...(is_error === true && { is_error }) })}\n`
}
