interface HeadersLike {
  get(name: string): string | null | undefined
}

/** Returns the delay that the server requests: `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function readRetryAfterMs(headers: HeadersLike | undefined, now = Date.now()): number | undefined {
  const ms = parseNumber(headers?.get('retry-after-ms'))
  if (ms !== undefined) return Math.round(ms)
  const value = headers?.get('retry-after')
  const seconds = parseNumber(value)
  if (seconds !== undefined) return Math.round(seconds * 1000)
  // HTTP dates start with a weekday. Checked first, because `Date.parse` accepts almost any text.
  const date = /^[a-z]{3,9},? /i.test(value ?? '') ? Date.parse(value ?? '') : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

function parseNumber(value: string | null | undefined): number | undefined {
  return typeof value === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined
}
