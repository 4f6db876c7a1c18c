import type { AttachmentMessage } from '../../contract/messages.js'
import { isRecord } from '../../shared/is-record.js'

const KIND = 'summary'

/** What the model is asked for when a conversation is compacted. */
export function summaryRequest(instructions: readonly string[]): string {
  return [ASK, ...instructions.map((text) => `Also for this summary: ${text}`)].join('\n\n')
}

const ASK = `<system-reminder>
The conversation is about to outgrow your window. It will go on from a summary that you write now; everything else is lost to you. Call no tool. Write for yourself, as the one who has to go on without asking again:

1. What the user wants: every request in order, with all limits and preferences that were named.
2. What was done and decided, and why; what was tried and did not work.
3. The state of things: files read that matter and files changed (paths, what is in them, the exact names and signatures you will need), commands and their outcome, errors that are open.
4. What is left: the step you were at, the next ones, and anything the user has to be told.

Be exact and complete, without introduction.
</system-reminder>`

/**
 * What a compacted conversation begins with. No message of the user: a summary holds what tools answered, and only what
 * the user said may count as a request.
 */
export function summaryAttachment(summary: string): AttachmentMessage {
  return { type: 'attachment', kind: KIND, data: { summary } }
}

/** What the model reads of it. */
export function summaryText(data: unknown): string | undefined {
  if (!isRecord(data) || typeof data.summary !== 'string') return undefined
  return [
    'This conversation goes on from an earlier one that had outgrown your window. Its summary, written by you:',
    data.summary,
    'What the user asked for last follows word for word. The work on it is as far as the summary says: go on from there, without mentioning the summary.',
  ].join('\n\n')
}
