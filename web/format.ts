/** Formats a duration with about three digits. */
export function formatDuration(ms: number): string {
  const value = Math.max(0, ms)
  if (value < 1) return `${value.toFixed(2)} ms`
  if (value < 1_000) return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`
  if (value < 60_000) return `${(value / 1_000).toFixed(value < 10_000 ? 2 : 1)} s`
  const minutes = Math.floor(value / 60_000)
  if (minutes < 60) return `${minutes} min ${Math.round((value % 60_000) / 1000)} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Formats a number with separators. */
export function formatCount(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, '\u202f')
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(2)} MB`
}

export function formatCost(usd: number | undefined): string {
  if (usd === undefined) return 'unknown'
  return usd === 0 || usd >= 0.01 ? `$${usd.toFixed(2)}` : `$${usd.toPrecision(2)}`
}

/** Formats a time of the day, or the date too if it is long ago. */
export function formatTime(at: number): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
}

/** Formats a number with its noun: `1 call`, `2 calls`. */
export function formatCounted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
