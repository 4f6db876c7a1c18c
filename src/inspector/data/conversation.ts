import type { Message } from '../../contract/messages.js'
import { isMessage } from '../../session/transcript/read/transcript-index.js'
import { cutText } from '../../shared/cut-text.js'
import { isRecord } from '../../shared/is-record.js'

/** A part of a message, for display. */
export interface ShownBlock {
  readonly kind: 'text' | 'markdown' | 'reasoning' | 'attachment' | 'call' | 'image'
  readonly text: string
  /** The id of the call. */
  readonly toolUseId?: string
}

/** A message, for display. Results are shown with their calls. */
export interface ShownMessage {
  readonly from: string
  readonly blocks: readonly ShownBlock[]
}

/** Longer texts are cut; the transcript has the rest. */
const MAX_TEXT_LENGTH = 40_000

/** Turns a recorded message into texts. Returns no blocks for a malformed entry. */
export function describeMessage(entry: unknown): ShownMessage {
  const message = isRecord(entry) ? entry.message : undefined
  if (!isMessage(message)) return { from: 'unknown', blocks: [] }
  return { from: message.type, blocks: listBlocks(message).map((block) => ({ ...block, text: cut(block.text) })) }
}

function listBlocks(message: Message): readonly ShownBlock[] {
  if (message.type === 'system') return [{ kind: 'attachment', text: message.content }]
  if (message.type === 'attachment') {
    const text = isRecord(message.data) && typeof message.data.text === 'string' ? message.data.text : undefined
    return [{ kind: 'attachment', text: `${message.kind}: ${text ?? JSON.stringify(message.data)}` }]
  }
  if (typeof message.content === 'string') return [{ kind: 'text', text: message.content }]
  return message.content.flatMap((block): readonly ShownBlock[] => {
    switch (block.type) {
      case 'text':
        return [{ kind: message.type === 'assistant' ? 'markdown' : 'text', text: block.text }]
      case 'thinking':
        return [{ kind: 'reasoning', text: block.thinking }]
      case 'tool_use':
        return [{ kind: 'call', text: block.name, toolUseId: block.id }]
      case 'image':
      case 'document':
        return [{ kind: 'image', text: block.type }]
      default:
        return []
    }
  })
}

function cut(text: string): string {
  return text.length <= MAX_TEXT_LENGTH ? text : `${cutText(text, MAX_TEXT_LENGTH)}…`
}
