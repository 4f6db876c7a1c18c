import { readStructuredOutput } from '../../contract/attachments.js'
import type { AttachmentMessage, Message } from '../../contract/messages.js'

const ATTACHMENT_KIND = 'structured_output_reminder'
const MAX_REMINDERS = 3

const REMINDER_TEXT = `<system-reminder>
Your answer is still missing. Call StructuredOutput with it now; the caller does not read text.
</system-reminder>`

/**
 * Returns a reminder for a model that has ended its turn without an answer that fits the caller's schema. `messages` are
 * those since the prompt. Returns undefined if there is an answer, or if reminders have not helped.
 */
export function createStructuredOutputReminder(messages: readonly Message[]): AttachmentMessage | undefined {
  const reminders = messages.filter((message) => isReminder(message)).length
  if (readStructuredOutput(messages) !== undefined || reminders >= MAX_REMINDERS) return undefined
  return { type: 'attachment', kind: ATTACHMENT_KIND, data: { attempt: reminders + 1 } }
}

/** Returns the text for the model if the message is a reminder to return structured output. */
export function formatStructuredOutputReminder(message: Message): string | undefined {
  return isReminder(message) ? REMINDER_TEXT : undefined
}

function isReminder(message: Message): boolean {
  return message.type === 'attachment' && message.kind === ATTACHMENT_KIND
}
