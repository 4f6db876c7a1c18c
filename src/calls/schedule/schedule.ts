import { raceWithAbort } from '../../shared/waiting.js'
import { type EndedPrefix, IndexQueue } from './call-order.js'
import type { Claims } from './claims.js'
import { ClaimIndex, DependencyNode } from './dependencies.js'

const DEFAULT_MAX_CONCURRENCY = 10

/** The scheduling state of a call. */
export abstract class ScheduledCall extends DependencyNode {
  /** Undefined until the call is added to the schedule. */
  claims: Claims | undefined
  /** Whether the call had to wait for another one when it was added. */
  hadToWait = false
  hasStarted = false
  /** Whether the call occupies one of the slots for concurrent calls. */
  holdsSlot = false
  /** How many waits outside its slot are in progress: a tool can ask several questions at once. */
  outsideWaitCount = 0
  /** Whether the call uses more than it claimed, and delays every later call. */
  isWidened = false
  #onFree: ((call: ScheduledCall) => void) | undefined

  constructor(readonly index: number) {
    super()
  }

  /** Called once, when nothing holds the call back and it has a slot. */
  abstract start(): void

  /** Whether the resources of the call include more than its claims, for example because an earlier call moved a link. */
  abstract haveClaimsGrown(): boolean

  /** Enters the dependency graph. `onFree` is called when nothing holds the call back any longer. */
  claim(claims: Claims, index: ClaimIndex, onFree: (call: ScheduledCall) => void): void {
    this.claims = claims
    this.#onFree = onFree
    index.add(this, claims)
    this.hadToWait = this.dependencyCount > 0
  }

  override onFree(): void {
    this.#onFree?.(this)
  }
}

/** A started call that waits for a slot to continue. */
interface ReturningCall {
  readonly index: number
  readonly call: ScheduledCall
  readonly resume: () => void
  /** Whether the call has its slot, or was cancelled. */
  isSettled: boolean
}

/**
 * Starts each call as soon as every earlier call that it conflicts with has ended, at most `limit` at once, earliest first.
 * A call only ever waits for earlier calls, so that two calls cannot wait for each other.
 */
export class Schedule {
  readonly #limit: number
  readonly #endedPrefix: EndedPrefix
  readonly #claims = new ClaimIndex()
  /** Calls without a pending dependency. */
  readonly #readyCalls = new IndexQueue<ScheduledCall>()
  readonly #returningCalls = new IndexQueue<ReturningCall>()
  readonly #widenedCalls = new IndexQueue<ScheduledCall>()
  #usedSlots = 0
  #isFillingSlots = false
  readonly #enqueue = (call: ScheduledCall) => this.#readyCalls.push(call)

  constructor(limit: number | undefined, endedPrefix: EndedPrefix) {
    // At least one call must be able to run.
    this.#limit = limit === undefined || Number.isNaN(limit) ? DEFAULT_MAX_CONCURRENCY : Math.max(1, Math.floor(limit))
    this.#endedPrefix = endedPrefix
  }

  /** Calls must be added in the order of their index. Calls that never run need not be added. */
  add(call: ScheduledCall, claims: Claims): void {
    call.claim(claims, this.#claims, this.#enqueue)
    if (call.dependencyCount === 0) this.#readyCalls.push(call)
  }

  /** Marks the call as ended. Calls that waited for it start with the next `fillSlots`. */
  end(call: ScheduledCall): void {
    if (call.isDone) return
    this.#releaseSlot(call)
    call.end()
  }

  /** Runs work during which the call occupies no slot, for example waiting for the user. */
  async runOutside<T>(call: ScheduledCall, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    call.outsideWaitCount++
    this.#releaseSlot(call)
    this.fillSlots()
    try {
      return await work()
    } finally {
      if (--call.outsideWaitCount === 0) await this.#returnToSlot(call, signal)
    }
  }

  /**
   * Handles a started call that uses more resources than it claimed: it waits for every earlier call, and delays every later
   * one.
   */
  widenCall(call: ScheduledCall, signal: () => AbortSignal): Promise<void> | undefined {
    call.isWidened = true
    this.#widenedCalls.push(call)
    if (this.#endedPrefix.length >= call.index) return undefined
    return this.runOutside(call, () => raceWithAbort(this.#endedPrefix.waitForCount(call.index), signal()), signal())
  }

  /** Makes a started call wait while an earlier, widened call delays later ones. */
  holdBack(call: ScheduledCall, signal: () => AbortSignal): Promise<void> | undefined {
    if (call.index <= this.#findLastAllowedIndex()) return undefined
    return this.runOutside(call, async () => {}, signal())
  }

  /** Fills free slots. A reentrant invocation returns at once: a call that starts may end immediately, which calls this method again. */
  fillSlots(): void {
    if (this.#isFillingSlots) return
    this.#isFillingSlots = true
    try {
      while (this.#usedSlots < this.#limit && (this.#resumeOne() || this.#startOne()));
    } finally {
      this.#isFillingSlots = false
    }
  }

  /** Returns the index of the first widened call, which delays every later call. */
  #findLastAllowedIndex(): number {
    while (this.#widenedCalls.peek()?.isDone) this.#widenedCalls.pop()
    return this.#widenedCalls.peek()?.index ?? Number.POSITIVE_INFINITY
  }

  /** Resumes a started call. These come first; otherwise a call whose question was answered could wait for all queued calls. */
  #resumeOne(): boolean {
    while (this.#returningCalls.peek()?.isSettled) this.#returningCalls.pop()
    const firstCall = this.#returningCalls.peek()
    if (firstCall === undefined || firstCall.index > this.#findLastAllowedIndex()) return false
    this.#returningCalls.pop()
    this.#takeSlot(firstCall.call)
    firstCall.resume()
    return true
  }

  #startOne(): boolean {
    while (this.#readyCalls.peek()?.isDone) this.#readyCalls.pop()
    const call = this.#readyCalls.peek()
    if (call === undefined || call.index > this.#findLastAllowedIndex()) return false
    this.#readyCalls.pop()
    if (!call.isWidened && call.haveClaimsGrown()) this.#widenQueued(call)
    else this.#start(call)
    return true
  }

  #start(call: ScheduledCall): void {
    call.hasStarted = true
    this.#takeSlot(call)
    call.start()
  }

  /** Like `widenCall`, for a call that has not started. */
  #widenQueued(call: ScheduledCall): void {
    call.isWidened = true
    this.#widenedCalls.push(call)
    if (this.#endedPrefix.length >= call.index) this.#start(call)
    else
      this.#endedPrefix.waitForCount(call.index).then(() => {
        this.#readyCalls.push(call)
        this.fillSlots()
      })
  }

  #takeSlot(call: ScheduledCall): void {
    call.holdsSlot = true
    this.#usedSlots++
  }

  #releaseSlot(call: ScheduledCall): void {
    if (!call.holdsSlot) return
    call.holdsSlot = false
    this.#usedSlots--
  }

  /** Resolves when the call has a slot again, or when it is cancelled: it needs no slot to end. */
  #returnToSlot(call: ScheduledCall, signal: AbortSignal): Promise<void> | undefined {
    if (signal.aborted || call.isDone) return undefined
    return new Promise<void>((resolve) => {
      const end = () => {
        returningCall.isSettled = true
        signal.removeEventListener('abort', end)
        resolve()
      }
      const returningCall: ReturningCall = { index: call.index, call, resume: end, isSettled: false }
      signal.addEventListener('abort', end, { once: true })
      this.#returningCalls.push(returningCall)
      this.fillSlots()
    })
  }
}
