import type { ToolResultBlock } from '../../../contract/messages.js'

const MAX_TOLD_CHARS = 2_000

/** What the model was told of a call that was refused; how to allow it is a part of that. */
export function toldTo({ content }: Pick<ToolResultBlock, 'content'>): { readonly message?: string } {
  return typeof content === 'string' ? { message: content.slice(0, MAX_TOLD_CHARS) } : {}
}
