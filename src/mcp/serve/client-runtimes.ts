import type { ClientSession } from './client-session.js'
import type { ServedRuntime } from './listed-tools.js'

/** The runtime of one client: its own working folder, read files and discovered tools. */
export interface ClientRuntime extends ServedRuntime {
  dispose(): Promise<void>
}

/** The maximum number of clients without a session whose state is kept. */
const MAX_NAMED_CLIENTS = 100

/** The runtimes of all clients. A client with a session has its own; others are told apart by the name that they state. */
export class ClientRuntimes {
  readonly #shared: ServedRuntime
  readonly #fork: (() => ClientRuntime) | undefined
  readonly #bySession = new Map<ClientSession, ClientRuntime>()
  /** The least recently used first. */
  readonly #byName = new Map<string, ClientRuntime>()

  /** Without `fork`, there is only one client, which uses the shared runtime. */
  constructor(shared: ServedRuntime, fork: (() => ClientRuntime) | undefined) {
    this.#shared = shared
    this.#fork = fork
  }

  get(client: ClientSession | string): ServedRuntime {
    if (this.#fork === undefined) return this.#shared
    return typeof client === 'string' ? this.#getNamed(client, this.#fork) : this.#getOfSession(client, this.#fork)
  }

  /** Ends the runtime of a session. */
  async end(session: ClientSession): Promise<void> {
    const runtime = this.#bySession.get(session)
    this.#bySession.delete(session)
    await runtime?.dispose()
  }

  #getOfSession(session: ClientSession, fork: () => ClientRuntime): ServedRuntime {
    const existingRuntime = this.#bySession.get(session)
    if (existingRuntime !== undefined) return existingRuntime
    const runtime = fork()
    // A request that arrives after the end of its session leaves nothing behind.
    if (session.isConnected) this.#bySession.set(session, runtime)
    return runtime
  }

  #getNamed(name: string, fork: () => ClientRuntime): ServedRuntime {
    const runtime = this.#byName.get(name) ?? fork()
    this.#byName.delete(name)
    this.#byName.set(name, runtime)
    const [oldest] = this.#byName
    if (oldest !== undefined && this.#byName.size > MAX_NAMED_CLIENTS) {
      this.#byName.delete(oldest[0])
      void oldest[1].dispose().catch(() => {})
    }
    return runtime
  }
}
