const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

/** How much of what can be undone is kept; the oldest goes first. */
export interface Retention {
  readonly maxAgeMs: number
  /** Of one project: the log and all content that it needs. */
  readonly maxBytes: number
  /**
   * Content that nobody needs is left alone for so long: it may have been kept for a call that is not in the log yet.
   * A process that relies on content it once kept looks again well before that.
   */
  readonly graceMs: number
}

export const RETENTION: Retention = { maxAgeMs: 30 * DAY_MS, maxBytes: 1024 ** 3, graceMs: HOUR_MS }

/** How often one looks what can go. */
export const PRUNE_EVERY_MS = DAY_MS
/** A process that has kept so much looks at once, and again after as much. */
export const PRUNE_AFTER_BYTES = 128 * 1024 ** 2
