import { FairQueue } from './fair-queue.js'

interface Kind {
  running: number
  readonly queue: FairQueue
}

/** Places for one kind of resource, shared by everybody who uses it; those who wait are served in turn, not by who asks most. */
export class FairLimiter {
  readonly #limits: ReadonlyMap<string, number>
  readonly #kinds = new Map<string, Kind>()

  /** By the whole kind, else by the part before its colon: `mcp` limits `mcp:github` and `mcp:files`, each by itself. */
  constructor(limits: Readonly<Record<string, number>>) {
    // A limit below one would let nobody through for ever.
    this.#limits = new Map(Object.entries(limits).map(([kind, limit]) => [kind, limit >= 1 ? limit : 1]))
  }

  /** Runs the work when there is a place; `owner` is whose turn it takes. A kind without a limit never waits. */
  run<T>(kind: string, owner: string, work: () => Promise<T>): Promise<T> {
    const limit = this.#limits.get(kind) ?? this.#limits.get(familyOf(kind))
    return limit === undefined ? work() : this.#runLimited(kind, limit, owner, work)
  }

  async #runLimited<T>(kind: string, limit: number, owner: string, work: () => Promise<T>): Promise<T> {
    const state = this.#kindOf(kind)
    // A place that becomes free goes to the next in turn, without being free in between.
    if (state.running >= limit) await state.queue.wait(owner)
    else state.running++
    try {
      return await work()
    } finally {
      if (!state.queue.serveNext() && --state.running === 0) this.#kinds.delete(kind)
    }
  }

  #kindOf(kind: string): Kind {
    const known = this.#kinds.get(kind)
    if (known !== undefined) return known
    const state: Kind = { running: 0, queue: new FairQueue() }
    this.#kinds.set(kind, state)
    return state
  }
}

function familyOf(kind: string): string {
  const colon = kind.indexOf(':')
  return colon === -1 ? kind : kind.slice(0, colon)
}
