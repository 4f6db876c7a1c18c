/** Formats a moment for people in a time zone, for example `2026-11-18 08:30 Europe/Berlin`. */
export function formatMoment(ms: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  return `${format.format(ms)} ${timeZone}`
}
