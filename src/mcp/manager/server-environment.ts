import type { ServicePort } from '../../contract/host/service-process.js'
import type { HttpAccess } from '../client/open-transport.js'
import type { ServerRequests } from '../client/server-requests.js'
import type { ConfiguredServer } from '../config/server-config.js'
import type { DefinitionCache } from './definition-cache.js'
import type { ReviewDefinitions } from './definition-review.js'

/** What all servers of a set share. */
export interface ServerWorld {
  readonly services: ServicePort
  readonly requests: ServerRequests
  readonly gate: StartGate
  readonly cache?: DefinitionCache | undefined
  readonly logFolder?: string | undefined
  readonly version: string
  readonly now: () => number
  readonly access?: ((server: ConfiguredServer) => HttpAccess | undefined) | undefined
  readonly review?: ReviewDefinitions | undefined
  /** What it offers, or how it stands, is not what it was. */
  readonly onChange: () => void
  readonly onProblem: (problem: string) => void
}

/** Lets so many in at once; the others wait in turn. */
export class StartGate {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(places: number) {
    this.#free = places
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      // A place that becomes free goes to the next in turn, without being free in between.
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }
}

const FIRST_DELAY_MS = 1_000
const MAX_DELAY_MS = 60_000
/** After so many failures in a row nothing is tried any more unless somebody asks for it. */
const MOST_FAILURES = 8

/** When a server that failed may be tried again: at once the first time, then ever later, in the end not at all. */
export class BackOff {
  readonly #now: () => number
  #failures = 0
  #retryAt = 0

  constructor(now: () => number) {
    this.#now = now
  }

  get hasGivenUp(): boolean {
    return this.#failures >= MOST_FAILURES
  }

  /** Milliseconds until the next try is due. */
  get waitMs(): number {
    return Math.max(0, this.#retryAt - this.#now())
  }

  get mayTry(): boolean {
    return !this.hasGivenUp && this.waitMs === 0
  }

  failed(): void {
    this.#failures++
    const delay = this.#failures === 1 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (this.#failures - 2), MAX_DELAY_MS)
    this.#retryAt = this.#now() + delay
  }

  /** It did what it is for: only that counts as being well again, or one that dies in every call would be started for ever. */
  succeeded(): void {
    this.#failures = 0
    this.#retryAt = 0
  }
}
