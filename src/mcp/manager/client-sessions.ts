import { reasonOf } from '../../shared/reason-of.js'
import type { McpConnection } from '../client/connection.js'
import type { Exchange, ExchangeClient } from '../client/exchange.js'

/** The maximum number of sessions with one server. More clients take turns. */
const MAX_SESSIONS = 8
/** Additional sessions that are unused for this long are closed. */
const MAX_IDLE_MS = 10 * 60 * 1000

interface Session {
  readonly connection: McpConnection
  readonly isMain: boolean
  openCalls: number
  usedAt: number
}

/** Requests of clients without a session share one, unless the server was seen to ask questions. */
const STATELESS_CLIENTS: ExchangeClient = { hasSession: true, isConnected: true }

/**
 * The sessions of one server of an older protocol revision. Such a server does not state which call a question belongs to. So
 * calls of different clients use different sessions, and each question reaches the client whose call it is about.
 */
export class ClientSessions {
  readonly #open: () => Promise<McpConnection>
  readonly #onProblem: (problem: string) => void
  #sessions: Session[] = []
  #waiters: (() => void)[] = []
  /** The sessions that are being opened, by their client. */
  readonly #openings = new Map<ExchangeClient, Promise<boolean>>()
  #hasAmbiguousQuestions = false

  /** `open` opens an additional session. */
  constructor(open: () => Promise<McpConnection>, onProblem: (problem: string) => void) {
    this.#open = open
    this.#onProblem = onProblem
  }

  /** Runs the work with a session that no other client is using. `main` is the session that already exists. */
  async run<T>(
    main: McpConnection,
    exchange: Exchange,
    work: (connection: McpConnection) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const session = await this.#acquire(main, this.#identify(exchange.client), signal)
    try {
      return await work(session.connection)
    } finally {
      session.openCalls--
      session.usedAt = Date.now()
      this.#hasAmbiguousQuestions ||= session.connection.exchanges.wasAmbiguous
      this.#wakeWaiters()
    }
  }

  /** Forgets a session that was lost or closed. */
  remove(connection: McpConnection): void {
    this.#sessions = this.#sessions.filter((session) => session.connection !== connection)
    this.#wakeWaiters()
  }

  async announceRootsChange(): Promise<void> {
    await Promise.all(this.#listAdditional().map(({ connection }) => connection.announceRootsChange()))
  }

  async close(): Promise<void> {
    const sessions = this.#listAdditional()
    this.#sessions = []
    await Promise.all(sessions.map(({ connection }) => connection.close().catch(() => {})))
  }

  #identify(client: ExchangeClient): ExchangeClient {
    return client.hasSession || this.#hasAmbiguousQuestions ? client : STATELESS_CLIENTS
  }

  #listAdditional(): readonly Session[] {
    return this.#sessions.filter(({ isMain }) => !isMain)
  }

  /** Returns a session with one more open call. */
  async #acquire(main: McpConnection, client: ExchangeClient, signal: AbortSignal | undefined): Promise<Session> {
    for (;;) {
      signal?.throwIfAborted()
      this.#includeMain(main)
      const ownSession = this.#sessions.find(({ connection }) => connection.exchanges.owner === client)
      if (ownSession !== undefined) return startCall(ownSession)
      const freeSession = this.#sessions.find((session) => isFree(session))
      if (freeSession !== undefined) return startCall(reserve(freeSession, client))
      const canOpen = this.#sessions.length + this.#openings.size < MAX_SESSIONS
      const opening = this.#openings.get(client) ?? (canOpen ? this.#openFor(client) : undefined)
      if (await opening) continue
      const [oldestSession] = this.#sessions
        .filter(({ openCalls }) => openCalls === 0)
        .sort((a, b) => a.usedAt - b.usedAt)
      if (oldestSession !== undefined) return startCall(reserve(oldestSession, client))
      await this.#waitForSession(signal)
    }
  }

  #includeMain(main: McpConnection): void {
    if (this.#sessions.some(({ connection }) => connection === main)) return
    this.#sessions = this.#sessions.filter(({ isMain }) => !isMain)
    this.#sessions.unshift({ connection: main, isMain: true, openCalls: 0, usedAt: Date.now() })
  }

  /** Opens another session. Returns false if the server does not allow it, so that clients take turns. */
  #openFor(client: ExchangeClient): Promise<boolean> {
    const opening = this.#add(client).finally(() => this.#openings.delete(client))
    this.#openings.set(client, opening)
    return opening
  }

  async #add(client: ExchangeClient): Promise<boolean> {
    try {
      const connection = await this.#open()
      const session = { connection, isMain: false, openCalls: 0, usedAt: Date.now() }
      connection.exchanges.owner = client
      this.#sessions.push(session)
      this.#closeWhenIdle(session)
      return true
    } catch (error) {
      this.#onProblem(`no further session could be opened, so clients wait for each other: ${reasonOf(error)}`)
      return false
    }
  }

  #closeWhenIdle(session: Session): void {
    const timer = setInterval(() => {
      const isIdle = session.openCalls === 0 && session.usedAt < Date.now() - MAX_IDLE_MS
      if (!isIdle && this.#sessions.includes(session)) return
      clearInterval(timer)
      this.remove(session.connection)
      void session.connection.close().catch(() => {})
    }, MAX_IDLE_MS / 4).unref()
  }

  #waitForSession(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push(resolve)
      signal?.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  #wakeWaiters(): void {
    const waiters = this.#waiters
    this.#waiters = []
    for (const resolve of waiters) resolve()
  }
}

/** Whether no connected client has reserved the session. */
function isFree({ connection, openCalls }: Session): boolean {
  const { owner } = connection.exchanges
  return openCalls === 0 && (owner === undefined || !owner.isConnected)
}

function startCall(session: Session): Session {
  session.openCalls++
  return session
}

function reserve(session: Session, client: ExchangeClient): Session {
  session.connection.exchanges.owner = client
  // The new client may have other folders than the previous one.
  void session.connection.announceRootsChange().catch(() => {})
  return session
}
