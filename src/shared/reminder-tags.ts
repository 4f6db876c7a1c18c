/**
 * Changes the tags of reminders in a text from elsewhere, such as a web page or the answer of a sub-agent, so that it
 * cannot be mistaken for a reminder of Haft.
 */
export function withoutReminderTags(text: string): string {
  return text.replace(REMINDER_TAG, '<$1system_reminder')
}

const REMINDER_TAG = /<(\s*\/)?\s*system-reminder/gi
