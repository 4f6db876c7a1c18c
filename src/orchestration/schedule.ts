import { type Claimant, ClaimIndex } from './claim-index.js'
import type { Claims } from './claims.js'

/** A call that waits for its start. */
interface Scheduled extends Claimant {
  readonly start: () => void
  hasStarted: boolean
}

/**
 * Starts each call as soon as every earlier call that it conflicts with has ended, at most `limit` at once,
 * the earliest first, refilled as calls end.
 */
export class Schedule {
  readonly #limit: number
  readonly #index = new ClaimIndex()
  readonly #calls: Scheduled[] = []
  /** Those that conflict with nobody any more, by their order. */
  #ready: Scheduled[] = []
  #running = 0
  #waiters: (() => void)[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  add(claims: Claims, start: () => void): Scheduled {
    const call: Scheduled = {
      index: this.#calls.length,
      claims,
      waitingFor: 0,
      dependents: [],
      isDone: false,
      start,
      hasStarted: false,
    }
    this.#calls.push(call)
    this.#index.add(call)
    if (call.waitingFor === 0) this.#enqueue(call)
    return call
  }

  /** The call has its answer: whoever waited for it may start. */
  finish(call: Scheduled): void {
    if (call.isDone) return
    call.isDone = true
    if (call.hasStarted) this.#running--
    for (const dependent of call.dependents as Scheduled[]) {
      if (--dependent.waitingFor === 0 && !dependent.isDone && !dependent.hasStarted) this.#enqueue(dependent)
    }
    this.#wake()
    this.#pump()
  }

  /** Those that were added and have neither started nor ended. */
  get waiting(): readonly Scheduled[] {
    return this.#calls.filter(({ hasStarted, isDone }) => !hasStarted && !isDone)
  }

  /** Runs something outside the limit, as waiting for a person is: others may use the place meanwhile. */
  async outside<T>(work: () => Promise<T>): Promise<T> {
    this.#running--
    this.#pump()
    try {
      return await work()
    } finally {
      await this.#until(() => this.#running < this.#limit)
      this.#running++
    }
  }

  /** Makes a call that turned out to touch more wait for every earlier call, and hold back every later one. */
  async widen(call: Scheduled): Promise<void> {
    for (const later of this.#calls.slice(call.index + 1)) {
      if (later.hasStarted || later.isDone) continue
      call.dependents.push(later)
      later.waitingFor++
    }
    this.#ready = this.#ready.filter(({ waitingFor }) => waitingFor === 0)
    const earlier = this.#calls.slice(0, call.index)
    if (earlier.every(({ isDone }) => isDone)) return
    await this.outside(() => this.#until(() => earlier.every(({ isDone }) => isDone)))
  }

  #enqueue(call: Scheduled): void {
    let at = this.#ready.length
    while (at > 0 && (this.#ready[at - 1]?.index ?? -1) > call.index) at--
    this.#ready.splice(at, 0, call)
    this.#pump()
  }

  #pump(): void {
    while (this.#running < this.#limit) {
      const call = this.#ready.shift()
      if (call === undefined) return
      if (call.isDone || call.hasStarted) continue
      call.hasStarted = true
      this.#running++
      call.start()
    }
  }

  async #until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await new Promise<void>((resolve) => this.#waiters.push(resolve))
  }

  #wake(): void {
    if (this.#waiters.length === 0) return
    const waiters = this.#waiters
    this.#waiters = []
    for (const wake of waiters) wake()
  }
}
