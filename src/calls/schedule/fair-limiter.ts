import type { Tool } from '../../contract/tool/tool.js'

/** Default limits of concurrent calls by kind, over all agents. */
export const DEFAULT_LIMITS = { shell: 10, agents: 10, mcp: 10 }

/**
 * Returns the kind under which background sub-agents are counted. The call that starts one is counted under another kind,
 * so it never waits for those that are running.
 */
export function getBackgroundAgentKind(depth: number): string {
  return `agents:background-${depth}`
}

/**
 * Returns the kind whose limit a call counts towards. Sub-agents are limited per depth: with a common limit, parents that wait
 * for their children could deadlock.
 */
export function getResourceKind(tool: Tool, depth: number): string {
  if (tool.mcpInfo !== undefined) return `mcp:${tool.mcpInfo.serverName}`
  if (tool.needs?.includes('agents')) return `agents:${depth}`
  return tool.needs?.includes('shell') ? 'shell' : 'none'
}

interface KindState {
  runningCount: number
  readonly queue: FairQueue
}

/** Limits how many calls of one kind run at once. Waiting owners take turns, so that one with many calls does not block the others. */
export class FairLimiter {
  readonly #limits: ReadonlyMap<string, number>
  readonly #kinds = new Map<string, KindState>()

  /** A limit applies to a kind, or to each kind of a family: `mcp` limits `mcp:github` and `mcp:files` separately. */
  constructor(limits: Readonly<Record<string, number>>) {
    // With a limit below one, no call would ever run.
    this.#limits = new Map(Object.entries(limits).map(([kind, limit]) => [kind, limit >= 1 ? limit : 1]))
  }

  /** Runs the work as soon as the limit allows it. A kind without a limit never waits. */
  run<T>(kind: string, owner: string, work: () => Promise<T>): Promise<T> {
    const limit = this.#limits.get(kind) ?? this.#limits.get(getFamily(kind))
    return limit === undefined ? work() : this.#runLimited(kind, limit, owner, work)
  }

  async #runLimited<T>(kind: string, limit: number, owner: string, work: () => Promise<T>): Promise<T> {
    const state = this.#getState(kind)
    // A released slot is handed directly to the next waiter, so `runningCount` does not change.
    if (state.runningCount >= limit) await state.queue.wait(owner)
    else state.runningCount++
    try {
      return await work()
    } finally {
      if (!state.queue.serveNext() && --state.runningCount === 0) this.#kinds.delete(kind)
    }
  }

  #getState(kind: string): KindState {
    const existingState = this.#kinds.get(kind)
    if (existingState !== undefined) return existingState
    const state: KindState = { runningCount: 0, queue: new FairQueue() }
    this.#kinds.set(kind, state)
    return state
  }
}

function getFamily(kind: string): string {
  const colonIndex = kind.indexOf(':')
  return colonIndex === -1 ? kind : kind.slice(0, colonIndex)
}

interface OwnerQueue {
  servedCount: number
  readonly waiters: (() => void)[]
}

/** Serves owners in round-robin order, and the requests of one owner in order of arrival. */
class FairQueue {
  readonly #queues = new Map<string, OwnerQueue>()

  /** Resolves when the request is served. */
  wait(owner: string): Promise<void> {
    return new Promise((resolve) => {
      const queue = this.#queues.get(owner)
      if (queue === undefined) this.#queues.set(owner, { servedCount: 0, waiters: [resolve] })
      else queue.waiters.push(resolve)
    })
  }

  /** Returns false if the queue is empty. */
  serveNext(): boolean {
    const [first] = this.#queues
    if (first === undefined) return false
    const [owner, queue] = first
    const serve = queue.waiters[queue.servedCount++]
    // Moves the owner to the end of the round.
    this.#queues.delete(owner)
    if (queue.servedCount < queue.waiters.length) this.#queues.set(owner, queue)
    serve?.()
    return true
  }
}
