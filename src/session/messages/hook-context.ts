import type { AttachmentMessage } from '../../contract/messages.js'
import type { HookEvent } from '../../hooks/config/hook-events.js'
import { isRecord } from '../../shared/is-record.js'

export const HOOK_CONTEXT = 'hook_context'

/** What hooks of an event want the model to know. */
export function hookContext(event: HookEvent, texts: readonly string[]): AttachmentMessage {
  return { type: 'attachment', kind: HOOK_CONTEXT, data: { event, texts } }
}

export function hookContextText(data: unknown): string | undefined {
  if (!isRecord(data) || !Array.isArray(data.texts)) return undefined
  const texts = data.texts.filter((text) => typeof text === 'string' && text.trim() !== '')
  return texts.length === 0 ? undefined : `The ${String(data.event)} hook says:\n${texts.join('\n')}`
}
