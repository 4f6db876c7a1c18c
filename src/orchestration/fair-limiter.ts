/** Places for one kind of resource, shared by everybody who uses it; those who wait are served in turn, not by who asks most. */
export class FairLimiter {
  readonly #limits: Readonly<Record<string, number>>
  readonly #kinds = new Map<string, { running: number; queues: Map<string, (() => void)[]> }>()

  constructor(limits: Readonly<Record<string, number>>) {
    this.#limits = limits
  }

  /** Runs the work when there is a place; `owner` is whose turn it takes. A kind without a limit never waits. */
  async run<T>(kind: string, owner: string, work: () => Promise<T>): Promise<T> {
    const limit = this.#limits[kind.split(':')[0] ?? kind]
    if (limit === undefined) return work()
    const state = this.#stateOf(kind)
    if (state.running >= limit) await new Promise<void>((resolve) => enqueue(state.queues, owner, resolve))
    else state.running++
    try {
      return await work()
    } finally {
      // The place goes to the next in turn, without being free in between.
      const next = takeNext(state.queues)
      if (next === undefined) state.running--
      else next()
      if (state.running === 0) this.#kinds.delete(kind)
    }
  }

  #stateOf(kind: string) {
    const state = this.#kinds.get(kind) ?? { running: 0, queues: new Map<string, (() => void)[]>() }
    this.#kinds.set(kind, state)
    return state
  }
}

function enqueue(queues: Map<string, (() => void)[]>, owner: string, start: () => void): void {
  const queue = queues.get(owner)
  if (queue === undefined) queues.set(owner, [start])
  else queue.push(start)
}

/** The first of the owner whose turn it is; that owner then stands last. */
function takeNext(queues: Map<string, (() => void)[]>): (() => void) | undefined {
  for (const [owner, queue] of queues) {
    const next = queue.shift()
    queues.delete(owner)
    if (queue.length > 0) queues.set(owner, queue)
    if (next !== undefined) return next
  }
  return undefined
}
