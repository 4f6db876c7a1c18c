import { type ClientNotification, toLogNotification } from './client-notification.js'

/** How many notifications may be on their way to a client that does not read them. */
const MAX_IN_FLIGHT = 64
/** How many further notifications wait. More are dropped. */
const MAX_QUEUED = 256
const MAX_BURST_LOGS = 1_000
const LOGS_PER_SECOND = 200

/**
 * The notifications for one client, in order and within limits: a client that stops reading must not fill the memory, and a
 * server that logs without end must not keep a client from its results.
 */
export class NotificationQueue {
  readonly #now: () => number
  readonly #queued = new Map<string, () => Promise<void>>()
  #inFlightCount = 0
  #logCount = 0
  #droppedLogCount = 0
  #logTokens = MAX_BURST_LOGS
  #refilledAt: number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#refilledAt = now()
  }

  /** Sends a notification as soon as possible. It replaces a waiting one with the same key. */
  add(key: string, send: () => Promise<void>): void {
    if (this.#queued.size === 0 && this.#inFlightCount < MAX_IN_FLIGHT) this.#start(send)
    else if (this.#queued.has(key) || this.#queued.size < MAX_QUEUED) this.#queued.set(key, send)
  }

  /** Sends a log message unless there are too many. The next one that is sent follows a note on how many were dropped. */
  addLog(params: Readonly<Record<string, unknown>>, send: (notification: ClientNotification) => Promise<void>): void {
    if (!this.#takeLogToken() || this.#queued.size >= MAX_QUEUED) {
      this.#droppedLogCount++
      return
    }
    const droppedCount = this.#droppedLogCount
    this.#droppedLogCount = 0
    if (droppedCount > 0) {
      const data = `${droppedCount} log messages were dropped, because they arrived faster than they could be passed on.`
      this.add(`log ${this.#logCount++}`, () => send(toLogNotification({ level: 'warning', logger: 'haft', data })))
    }
    this.add(`log ${this.#logCount++}`, () => send(toLogNotification(params)))
  }

  #takeLogToken(): boolean {
    const now = this.#now()
    const refilledTokens = ((now - this.#refilledAt) / 1000) * LOGS_PER_SECOND
    this.#logTokens = Math.min(MAX_BURST_LOGS, this.#logTokens + refilledTokens)
    this.#refilledAt = now
    if (this.#logTokens < 1) return false
    this.#logTokens--
    return true
  }

  #start(send: () => Promise<void>): void {
    this.#inFlightCount++
    // A failure is ignored: the client has disconnected or is not initialised yet.
    void send()
      .catch(() => {})
      .finally(() => {
        this.#inFlightCount--
        this.#startNext()
      })
  }

  #startNext(): void {
    const [next] = this.#queued
    if (next === undefined) return
    this.#queued.delete(next[0])
    this.#start(next[1])
  }
}
