import { isRecord } from '../shared/is-record.js'
import type { AttachmentMessage, Message, ToolResultContent } from './messages.js'

const KIND = 'discovered_tools'

/** The record of a discovery in the message stream: what was found stays found, whatever becomes of the result. */
export function discoveredTools(names: readonly string[]): AttachmentMessage {
  return { type: 'attachment', kind: KIND, data: { names } }
}

/** The tools that a conversation has discovered, each once, in the order of discovery. */
export function extractDiscoveredToolNames(messages: readonly Message[]): string[] {
  const names = new Set<string>()
  for (const message of messages) {
    for (const name of attachedNames(message)) names.add(name)
    for (const name of referencedIn(message)) names.add(name)
  }
  return [...names]
}

/** The tools whose definition a provider has loaded by a reference that is still in the conversation. */
export function referencedToolNames(messages: readonly Message[]): Set<string> {
  return new Set(messages.flatMap(referencedIn))
}

/** A transcript may be of any age and from anywhere: what is no list of names is none. */
function attachedNames(message: Message): readonly string[] {
  if (message.type !== 'attachment' || message.kind !== KIND || !isRecord(message.data)) return []
  const { names } = message.data
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
}

function referencedIn(message: Message): readonly string[] {
  if (message.type !== 'user' || typeof message.content === 'string') return []
  return message.content.flatMap((block) =>
    block.type === 'tool_result' && typeof block.content !== 'string' ? block.content.flatMap(namedBy) : [],
  )
}

function namedBy(block: ToolResultContent): readonly string[] {
  return block.type === 'tool_reference' ? [block.tool_name] : []
}
