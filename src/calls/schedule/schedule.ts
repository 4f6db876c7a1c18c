import { untilAborted } from '../../shared/waiting.js'
import { ClaimIndex } from './claim-index.js'
import type { Claims } from './claims.js'
import type { EndedPrefix } from './ended-prefix.js'
import { IndexQueue } from './index-queue.js'
import { Waiter } from './waiter.js'

/** What the schedule does to a call. */
export interface Startable {
  start(): void
  /** Whether its names have come to mean more, which they may where it had to wait for another call. */
  isGrown?(hadToWait: boolean): boolean
}

/** A call from when it was put in the schedule. */
export class Scheduled extends Waiter {
  hasStarted = false
  /** Whether it takes one of the places that there are. */
  holdsPlace = false
  /** How many waits outside the limit it is in: a tool may ask several things at once. */
  waitsOutside = 0
  isWidened = false
  readonly hadToWait: boolean

  constructor(
    readonly index: number,
    readonly claims: Claims,
    readonly work: Startable,
    readonly enqueue: (call: Scheduled) => void,
    conflicts: ClaimIndex,
  ) {
    super()
    conflicts.add(this, claims)
    this.hadToWait = this.waitingFor > 0
  }

  override onFree(): void {
    this.enqueue(this)
  }
}

/** A call that has begun and wants its place back. */
interface Returning {
  readonly index: number
  readonly call: Scheduled
  readonly resume: () => void
  isGone: boolean
}

/**
 * Starts each call as soon as every earlier call that it conflicts with has ended, at most `limit` at once,
 * the earliest first, refilled as calls end. Whatever waits here waits only for calls before it, so that
 * no two can wait for each other.
 */
export class Schedule {
  readonly #limit: number
  readonly #prefix: EndedPrefix
  readonly #conflicts = new ClaimIndex()
  /** Those that conflict with nobody any more. */
  readonly #ready = new IndexQueue<Scheduled>()
  readonly #returning = new IndexQueue<Returning>()
  /** Those that turned out to touch more than they had said. */
  readonly #widened = new IndexQueue<Scheduled>()
  #running = 0
  #isPumping = false
  readonly #enqueue = (call: Scheduled) => this.#ready.push(call)

  constructor(limit: number, prefix: EndedPrefix) {
    this.#limit = limit
    this.#prefix = prefix
  }

  /** Calls are added in their order; `index` may leave out those that never come to run. */
  add(index: number, claims: Claims, work: Startable): Scheduled {
    const call = new Scheduled(index, claims, work, this.#enqueue, this.#conflicts)
    if (call.waitingFor === 0) this.#ready.push(call)
    return call
  }

  /** The call has its answer: whoever waited only for it, and for none before it, may start once `pump` is called. */
  end(call: Scheduled): void {
    if (call.isDone) return
    this.#leave(call)
    call.end()
  }

  /** Runs something outside the limit, as waiting for a person is: others may use the place meanwhile. */
  async outside<T>(call: Scheduled, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    call.waitsOutside++
    this.#leave(call)
    this.pump()
    try {
      return await work()
    } finally {
      if (--call.waitsOutside === 0) await this.#comeBack(call, signal)
    }
  }

  /** Makes a call that turned out to touch more wait for every earlier call, and hold back every later one. */
  widen(call: Scheduled, signal: () => AbortSignal): Promise<void> | undefined {
    call.isWidened = true
    this.#widened.push(call)
    if (this.#prefix.length >= call.index) return undefined
    return this.outside(call, () => untilAborted(this.#prefix.reach(call.index), signal()), signal())
  }

  /** Keeps a call that has begun from going on while an earlier one holds everybody back. */
  holdBack(call: Scheduled, signal: () => AbortSignal): Promise<void> | undefined {
    if (call.index <= this.#gate()) return undefined
    return this.outside(call, async () => {}, signal())
  }

  /** Fills the places that are free. A loop that is not entered twice: what it starts may end at once. */
  pump(): void {
    if (this.#isPumping) return
    this.#isPumping = true
    try {
      while (this.#running < this.#limit && (this.#resumeOne() || this.#startOne()));
    } finally {
      this.#isPumping = false
    }
  }

  /** The last call that may go on: the first of those that hold back all behind them. */
  #gate(): number {
    while (this.#widened.peek()?.isDone) this.#widened.pop()
    return this.#widened.peek()?.index ?? Number.POSITIVE_INFINITY
  }

  /** Those that have begun come before those that have not, or a person's answer would wait for the whole message. */
  #resumeOne(): boolean {
    while (this.#returning.peek()?.isGone) this.#returning.pop()
    const first = this.#returning.peek()
    if (first === undefined || first.index > this.#gate()) return false
    this.#returning.pop()
    this.#enter(first.call)
    first.resume()
    return true
  }

  #startOne(): boolean {
    while (this.#ready.peek()?.isDone) this.#ready.pop()
    const call = this.#ready.peek()
    if (call === undefined || call.index > this.#gate()) return false
    this.#ready.pop()
    if (!call.isWidened && call.work.isGrown?.(call.hadToWait)) this.#widenQueued(call)
    else this.#start(call)
    return true
  }

  #start(call: Scheduled): void {
    call.hasStarted = true
    this.#enter(call)
    call.work.start()
  }

  /** As `widen`, for a call that has not begun. */
  #widenQueued(call: Scheduled): void {
    call.isWidened = true
    this.#widened.push(call)
    if (this.#prefix.length >= call.index) this.#start(call)
    else
      this.#prefix.reach(call.index).then(() => {
        this.#ready.push(call)
        this.pump()
      })
  }

  #enter(call: Scheduled): void {
    call.holdsPlace = true
    this.#running++
  }

  #leave(call: Scheduled): void {
    if (!call.holdsPlace) return
    call.holdsPlace = false
    this.#running--
  }

  /** Whoever was cancelled needs no place to say so. */
  #comeBack(call: Scheduled, signal: AbortSignal): Promise<void> | undefined {
    if (signal.aborted || call.isDone) return undefined
    return new Promise<void>((resolve) => {
      const end = () => {
        returning.isGone = true
        signal.removeEventListener('abort', end)
        resolve()
      }
      const returning: Returning = { index: call.index, call, resume: end, isGone: false }
      signal.addEventListener('abort', end, { once: true })
      this.#returning.push(returning)
      this.pump()
    })
  }
}
