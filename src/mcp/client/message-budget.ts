import { isRecord } from '../../shared/is-record.js'

/** A token bucket: allows a burst, then one item per interval. */
export class RateLimiter {
  readonly #maxBurst: number
  readonly #intervalMs: number
  readonly #now: () => number
  #tokens: number
  #refilledAt: number

  constructor(
    { maxBurst, intervalMs }: { readonly maxBurst: number; readonly intervalMs: number },
    now: () => number = () => performance.now(),
  ) {
    this.#maxBurst = maxBurst
    this.#intervalMs = intervalMs
    this.#now = now
    this.#tokens = maxBurst
    this.#refilledAt = now()
  }

  /** Whether another item is allowed now. If so, it is counted. */
  take(): boolean {
    const now = this.#now()
    this.#tokens = Math.min(this.#maxBurst, this.#tokens + (now - this.#refilledAt) / this.#intervalMs)
    this.#refilledAt = now
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }
}

export const PROGRESS_LIMITS = { maxBurst: 100, intervalMs: 50 } as const
const LOG_LIMITS = { maxBurst: 1_000, intervalMs: 10 } as const
const OTHER_LIMITS = { maxBurst: 1_000, intervalMs: 10 } as const

/** How long equal announcements of a change are collected. The last one is always passed on, at most this late. */
const COLLECT_MS = 20
const MAX_COLLECTED = 1_000
/** How often the number of dropped messages is reported. */
const REPORT_INTERVAL_MS = 1_000

const LOG_METHOD = 'notifications/message'
const CHANGE_METHODS: ReadonlySet<string> = new Set([
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
])

interface Notification {
  readonly method: string
  readonly params?: unknown
}

/**
 * Limits the notifications of one server before they are processed, so that a server that sends them without end costs little time
 * and no memory.
 */
export class NotificationBudget {
  readonly #deliver: (message: object) => void
  readonly #logs = new RateLimiter(LOG_LIMITS)
  readonly #others = new RateLimiter(OTHER_LIMITS)
  readonly #collected = new Set<string>()
  #droppedLogs = 0
  #droppedOthers = 0
  #reportTimer: NodeJS.Timeout | undefined
  #isClosed = false

  /** `deliver` receives notifications that were held back, and reports about dropped ones. */
  constructor(deliver: (message: object) => void) {
    this.#deliver = deliver
  }

  /** Whether the notification is to be passed on now. */
  admit(message: Notification): boolean {
    const { method } = message
    if (CHANGE_METHODS.has(method)) {
      this.#collect(message)
      return false
    }
    if (method === LOG_METHOD) {
      if (this.#logs.take()) return true
      this.#droppedLogs++
    } else {
      if (this.#others.take()) return true
      this.#droppedOthers++
    }
    this.#scheduleReport()
    return false
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#reportTimer)
    this.#report()
  }

  #collect(message: Notification): void {
    const key = toChangeKey(message)
    if (this.#collected.has(key)) return
    if (this.#collected.size >= MAX_COLLECTED) {
      this.#droppedOthers++
      this.#scheduleReport()
      return
    }
    this.#collected.add(key)
    setTimeout(() => {
      this.#collected.delete(key)
      if (!this.#isClosed) this.#deliver(message)
    }, COLLECT_MS).unref()
  }

  #scheduleReport(): void {
    if (this.#reportTimer !== undefined || this.#isClosed) return
    this.#reportTimer = setTimeout(() => this.#report(), REPORT_INTERVAL_MS)
    this.#reportTimer.unref()
  }

  #report(): void {
    this.#reportTimer = undefined
    const parts = [
      this.#droppedLogs > 0 ? `${this.#droppedLogs} log messages` : '',
      this.#droppedOthers > 0 ? `${this.#droppedOthers} notifications` : '',
    ].filter((part) => part !== '')
    this.#droppedLogs = 0
    this.#droppedOthers = 0
    if (parts.length === 0) return
    const data = `${parts.join(' and ')} of this server were dropped, because it sent too many.`
    this.#deliver({ jsonrpc: '2.0', method: LOG_METHOD, params: { level: 'warning', logger: 'haft', data } })
  }
}

/** Announcements with the same key say the same. A subscription of the client is part of the key. */
function toChangeKey({ method, params }: Notification): string {
  const { uri, _meta } = isRecord(params) ? params : {}
  const subscription = isRecord(_meta) && Object.entries(_meta).find(([key]) => key.endsWith('/subscriptionId'))
  return JSON.stringify([method, typeof uri === 'string' ? uri : '', subscription])
}
