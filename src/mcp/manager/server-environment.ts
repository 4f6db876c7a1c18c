import type { ServicePort } from '../../contract/host/service-process.js'
import type { ListKind } from '../client/open-connection.js'
import type { HttpAccess } from '../client/open-transport.js'
import type { ServerRequests } from '../client/server-requests.js'
import type { ConfiguredServer } from '../config/server-config.js'
import type { DefinitionCache } from './definition-cache.js'
import type { ReviewDefinitions } from './definition-review.js'

/** What all servers of one runtime share. */
export interface ServerEnvironment {
  readonly services: ServicePort
  readonly requests: ServerRequests
  readonly gate: StartGate
  readonly cache?: DefinitionCache | undefined
  readonly logFolder?: string | undefined
  readonly version: string
  readonly now: () => number
  readonly access?: ((server: ConfiguredServer) => HttpAccess | undefined) | undefined
  readonly review?: ReviewDefinitions | undefined
  /** Called when the offer or the state of a server has changed, with the lists that may differ now. */
  readonly onChange: (changedLists: readonly ListKind[]) => void
  readonly onProblem: (problem: string) => void
}

/** Limits how many servers start at once. The others wait in order. */
export class StartGate {
  readonly #waiters: (() => void)[] = []
  #freeSlots: number

  constructor(slots: number) {
    this.#freeSlots = slots
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#freeSlots > 0) this.#freeSlots--
    else await new Promise<void>((resolve) => this.#waiters.push(resolve))
    try {
      return await work()
    } finally {
      // The slot is passed directly to the next start in the queue.
      const nextWaiter = this.#waiters.shift()
      if (nextWaiter === undefined) this.#freeSlots++
      else nextWaiter()
    }
  }
}

const FIRST_DELAY_MS = 1_000
const MAX_DELAY_MS = 60_000
/** After this many consecutive failures, the server is retried only on explicit request. */
const MAX_FAILURES = 8

/**
 * Exponential back-off. The first retry is immediate, later ones are delayed more and more, and after `MAX_FAILURES` there are
 * no more.
 */
export class BackOff {
  readonly #now: () => number
  #failureCount = 0
  #retryAt = 0

  constructor(now: () => number) {
    this.#now = now
  }

  get hasGivenUp(): boolean {
    return this.#failureCount >= MAX_FAILURES
  }

  /** The number of milliseconds until the next retry is allowed. */
  get waitMs(): number {
    return Math.max(0, this.#retryAt - this.#now())
  }

  get canTry(): boolean {
    return !this.hasGivenUp && this.waitMs === 0
  }

  recordFailure(): void {
    this.#failureCount++
    const delay = this.#failureCount === 1 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (this.#failureCount - 2), MAX_DELAY_MS)
    this.#retryAt = this.#now() + delay
  }

  /**
   * Called after a successful request or an explicit reconnect, but not after a start, because a server that crashes in every
   * call must not be restarted forever.
   */
  recordSuccess(): void {
    this.#failureCount = 0
    this.#retryAt = 0
  }
}
