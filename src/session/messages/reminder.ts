/** A text that the host tells the model, marked so that it is not taken for the user's own words. */
export function reminder(text: string): string {
  // What others wrote, such as the answer of a sub-agent, must not be able to end the mark and go on as the user.
  return `<system-reminder>\n${text.replace(MARK, '<$1system_reminder')}\n</system-reminder>`
}

const MARK = /<(\s*\/)?\s*system-reminder/gi
