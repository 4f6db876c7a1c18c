/** Formats date and time in the time zone of the user: `2026-11-17 16:48`. */
export function formatTime(time: number): string {
  const date = new Date(time)
  const day = [date.getFullYear(), pad(date.getMonth() + 1), pad(date.getDate())].join('-')
  return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}`
}

function pad(number: number): string {
  return String(number).padStart(2, '0')
}
