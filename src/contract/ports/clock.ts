/** Current time and delays, so that tests can use a fake clock. */
export interface ClockPort {
  now(): number
  /** Resolves early, without an error, if the signal aborts. */
  sleep(ms: number, options: { readonly signal: AbortSignal }): Promise<void>
}
