import { readStructuredOutput } from '../../contract/attachments.js'
import type { AttachmentMessage, Message } from '../../contract/messages.js'

const KIND = 'structured_output_reminder'
const MOST_REMINDERS = 3

const TEXT = `<system-reminder>
The answer is still missing. Call StructuredOutput with it now; text alone is not read by the caller.
</system-reminder>`

/**
 * What a model is told that has ended its turn without an answer that fits the caller's schema, given the messages since
 * the prompt. Undefined where the answer is there, or where reminding has not helped: then the run ends without one.
 */
export function structuredOutputReminder(messages: readonly Message[]): AttachmentMessage | undefined {
  const reminders = messages.filter((message) => isReminder(message)).length
  if (readStructuredOutput(messages) !== undefined || reminders >= MOST_REMINDERS) return undefined
  return { type: 'attachment', kind: KIND, data: { attempt: reminders + 1 } }
}

/** What an attachment tells the model of a missing answer, if that is what it is for. */
export function structuredOutputReminderText(message: Message): string | undefined {
  return isReminder(message) ? TEXT : undefined
}

function isReminder(message: Message): boolean {
  return message.type === 'attachment' && message.kind === KIND
}
