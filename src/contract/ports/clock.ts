/** Time, so that tests need not wait for it. */
export interface ClockPort {
  now(): number
  /** Resolves early, without an error, when the signal aborts. */
  sleep(ms: number, options: { readonly signal: AbortSignal }): Promise<void>
}
