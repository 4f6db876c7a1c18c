/** A text that the host tells the model, marked so that it is not taken for the user's own words. */
export function reminder(text: string): string {
  return `<system-reminder>\n${text}\n</system-reminder>`
}
