import { isRecord } from '../shared/is-record.js'
import type { AttachmentMessage, Message } from './messages.js'

const KIND = 'structured_output'

/** The record in the message stream of an answer that fits the caller's schema. */
export function structuredOutput(value: unknown): AttachmentMessage {
  return { type: 'attachment', kind: KIND, data: { value } }
}

/** The last such answer, for the host that asked for it; to be given the messages since the prompt, or it finds an older one. */
export function readStructuredOutput(messages: readonly Message[]): { readonly value: unknown } | undefined {
  for (const message of messages.toReversed()) {
    if (message.type !== 'attachment' || message.kind !== KIND) continue
    if (isRecord(message.data) && 'value' in message.data) return { value: message.data.value }
  }
  return undefined
}
