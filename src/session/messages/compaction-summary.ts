import type { AttachmentMessage } from '../../contract/messages.js'
import { isRecord } from '../../shared/is-record.js'

export const COMPACTION_SUMMARY = 'compaction_summary'

/** What stands for the messages before it, and what the user had asked for in them, word for word. */
export interface CompactionSummary {
  /** What the model reads, with its frame. */
  readonly text: string
  readonly userPrompts: readonly string[]
}

export function compactionSummary(summary: CompactionSummary): AttachmentMessage {
  return { type: 'attachment', kind: COMPACTION_SUMMARY, data: summary }
}

export function compactionText(data: unknown): string | undefined {
  return isRecord(data) && typeof data.text === 'string' ? data.text : undefined
}

export function compactedPrompts(data: unknown): readonly string[] {
  if (!isRecord(data) || !Array.isArray(data.userPrompts)) return []
  return data.userPrompts.filter((prompt) => typeof prompt === 'string')
}
