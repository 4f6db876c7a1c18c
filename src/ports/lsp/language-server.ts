import type { LspDiagnostic, LspOperation, LspPosition, LspServerStatus } from '../../contract/ports/lsp.js'
import { toUri } from '../../shared/file-uri.js'
import { isRecord } from '../../shared/is-record.js'
import { reasonOf } from '../../shared/reason-of.js'
import { delay } from '../../shared/waiting.js'
import { measureMemory } from '../../system/processes/process-memory.js'
import type { FoundServer } from './find-server.js'
import { askOperation, type OperationOptions, supportsOperation } from './operation-request.js'
import { readDiagnostics } from './read-diagnostics.js'
import { RpcError } from './rpc-connection.js'
import { ServerSession, type StartOptions } from './server-session.js'

/** The time limits of servers. */
export interface ServerLimits {
  readonly startMs: number
  /** A server without requests for this long is ended. */
  readonly idleMs: number
  /** A server that sends nothing for this long while a request is unanswered is ended. */
  readonly silentMs: number
}

export const DEFAULT_SERVER_LIMITS: ServerLimits = {
  startMs: 60_000,
  idleMs: 15 * 60_000,
  silentMs: 120_000,
}

/** After this many failures within the window, the server is not started again. */
const MAX_FAILURES = 3
const FAILURE_WINDOW_MS = 5 * 60_000

/** Codes of temporary errors: the server dropped the request because the content changed or because it was busy. */
const TRANSIENT_CODES = new Set([-32801, -32802])
const MAX_ATTEMPTS = 5
const RETRY_DELAY_MS = 200

/** One server for one root, shared by all agents. It is started on first use, and again when it is used after it has ended. */
export class LanguageServer {
  readonly #foundServer: FoundServer
  readonly #options: StartOptions
  readonly #limits: ServerLimits
  readonly #failureTimes: number[] = []
  #session: Promise<ServerSession> | undefined
  #openSession: ServerSession | undefined
  /** Ends a start when the server itself is ended. */
  #startController = new AbortController()
  #lastError: string | undefined
  #openRequests = 0
  #lastUsedAt = Date.now()
  /** Updates are sent one after the other, so that the server never keeps an older state. */
  #lastUpdate: Promise<unknown> = Promise.resolve()

  constructor(foundServer: FoundServer, options: StartOptions, limits: ServerLimits) {
    this.#foundServer = foundServer
    this.#options = options
    this.#limits = limits
  }

  get isRunning(): boolean {
    return this.#session !== undefined
  }

  get isIdle(): boolean {
    return this.#openRequests === 0
  }

  get lastUsedAt(): number {
    return this.#lastUsedAt
  }

  request(
    operation: LspOperation,
    at: LspPosition,
    options: OperationOptions,
    language: string,
    signal: AbortSignal,
  ): Promise<unknown> {
    return this.#use(async () => {
      const session = await this.#update(at.path, language)
      if (!supportsOperation(session.capabilities, operation))
        throw new Error(`The language server ${this.#foundServer.config.name} does not support ${operation}.`)
      return this.#askUntilLoaded(session, signal, () =>
        askOperation(session.connection, operation, at, options, signal),
      )
    })
  }

  diagnostics(path: string, language: string, signal: AbortSignal): Promise<readonly LspDiagnostic[]> {
    return this.#use(async () => {
      const session = await this.#update(path, language)
      if (!session.capabilities.diagnosticProvider) {
        const version = session.documents.getVersion(path) ?? 0
        session.documents.closeOldest()
        const untilEnded = AbortSignal.any([signal, abortWhen(session.ended)])
        return session.diagnostics.waitFor(path, version, untilEnded).catch((error) => {
          throw this.#explain(error, signal)
        })
      }
      const report = await this.#askUntilLoaded(session, signal, () =>
        session.connection.request('textDocument/diagnostic', { textDocument: { uri: toUri(path) } }, signal),
      )
      return readDiagnostics(path, isRecord(report) ? report.items : undefined)
    })
  }

  /** Ends the server. It is started again when it is used. `reason` is shown with its status. */
  async end(reason?: string): Promise<void> {
    if (reason !== undefined) this.#lastError = reason
    const session = this.#session
    this.#session = undefined
    this.#startController.abort(new Error(`The language server ${this.#foundServer.config.name} was ended. Try again.`))
    this.#startController = new AbortController()
    await (await session?.catch(() => undefined))?.end()
  }

  /** Ends the server if it is idle, silent, or uses too much memory. */
  async check(): Promise<void> {
    const session = this.#openSession
    if (session === undefined || this.#session === undefined) return
    const now = Date.now()
    if (this.isIdle && now - this.#lastUsedAt >= this.#limits.idleMs) return this.end()
    const { oldestRequestAt, lastReceivedAt } = session.connection
    if (oldestRequestAt !== undefined && now - Math.max(oldestRequestAt, lastReceivedAt) >= this.#limits.silentMs)
      return this.#endFaulty(session, `it did not answer for ${this.#limits.silentMs / 1000} seconds`)
    const { memoryBytes: limit } = this.#foundServer.config
    const memory = await measureMemory(session.pid)
    if (memory !== undefined && memory > limit)
      return this.#endFaulty(
        session,
        `it used ${toMegabytes(memory)} MB of memory; its limit is ${toMegabytes(limit)} MB. Raise memoryMb in the setting languageServers, or open a smaller project`,
      )
  }

  async status(): Promise<LspServerStatus> {
    const { config, root } = this.#foundServer
    const session = this.#session === undefined ? undefined : this.#openSession
    const memoryBytes = session === undefined ? undefined : await measureMemory(session.pid)
    const { version } = this.#openSession ?? {}
    return {
      name: config.name,
      root,
      state: this.#getState(session),
      ...(session !== undefined && { pid: session.pid }),
      ...(memoryBytes !== undefined && { memoryBytes }),
      ...(version !== undefined && { version }),
      ...(this.#lastError !== undefined && { lastError: this.#lastError }),
    }
  }

  #getState(session: ServerSession | undefined): LspServerStatus['state'] {
    if (session !== undefined) return 'running'
    if (this.#session !== undefined) return 'starting'
    return this.#lastError === undefined ? 'ended' : 'failed'
  }

  async #use<T>(work: () => Promise<T>): Promise<T> {
    this.#openRequests++
    try {
      return await work()
    } finally {
      this.#openRequests--
      this.#lastUsedAt = Date.now()
    }
  }

  /** Tells the server everything that changed on disk, then opens a document. */
  #update(path: string, language: string): Promise<ServerSession> {
    const update = async () => {
      const session = await this.#open()
      const changes = await session.projectFiles?.takeChanges()
      if (changes?.isUnclear === true) {
        await this.end()
        const restartedSession = await this.#open()
        restartedSession.documents.open(path, language)
        return restartedSession
      }
      const { documents, diagnostics } = session
      const oldVersion = documents.getVersion(path)
      if (changes !== undefined) documents.sync(changes)
      documents.open(path, language)
      const isUnchanged = oldVersion === documents.getVersion(path)
      const isProjectChanged =
        changes !== undefined && changes.created.length + changes.changed.length + changes.deleted.length > 0
      // The diagnostics of a file depend on other files, and a server that pushes them may keep the old ones.
      if (isUnchanged && isProjectChanged && !session.capabilities.diagnosticProvider) documents.touch(path)
      if (!isUnchanged || isProjectChanged) diagnostics.forget(path)
      return session
    }
    const result = this.#lastUpdate.then(update, update)
    this.#lastUpdate = result
    return result
  }

  /** Repeats a request while the server loads its project, because an early answer may be empty or a temporary error. */
  async #askUntilLoaded(session: ServerSession, signal: AbortSignal, ask: () => Promise<unknown>): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      const isLastAttempt = attempt === MAX_ATTEMPTS
      try {
        const asking = ask()
        // After the request, so that it does not wait for this.
        session.documents.closeOldest()
        const answer = await asking
        const isEmpty = answer === null || (Array.isArray(answer) && answer.length === 0)
        if (!isEmpty || !session.isLoading || isLastAttempt) return answer
        await session.waitUntilLoaded(signal)
      } catch (error) {
        if (!(error instanceof RpcError)) throw this.#explain(error, signal)
        if (!TRANSIENT_CODES.has(error.code) || isLastAttempt) throw error
        await delay(RETRY_DELAY_MS, signal)
        signal.throwIfAborted()
      }
    }
  }

  #explain(error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return error
    const { name } = this.#foundServer.config
    return new Error(`The language server ${name} failed: ${reasonOf(error)}. It is started again when it is used.`)
  }

  #open(): Promise<ServerSession> {
    this.#session ??= this.#start(this.#startController.signal)
    return this.#session
  }

  async #start(signal: AbortSignal): Promise<ServerSession> {
    const { config, command } = this.#foundServer
    const now = Date.now()
    const recentFailures = this.#failureTimes.filter((time) => now - time < FAILURE_WINDOW_MS)
    try {
      if (recentFailures.length >= MAX_FAILURES)
        throw new Error(`it failed ${MAX_FAILURES} times and is not started again for now: ${this.#lastError}`)
      const timeLimit = AbortSignal.timeout(this.#limits.startMs)
      const session = await ServerSession.start(this.#foundServer, this.#options, AbortSignal.any([signal, timeLimit]))
      this.#openSession = session
      void session.ended.then((reason) => this.#noteEnd(session, reason))
      return session
    } catch (error) {
      if (!signal.aborted) {
        this.#session = undefined
        if (recentFailures.length < MAX_FAILURES) this.#noteFailure(reasonOf(error))
      }
      throw new Error(`The language server ${config.name} (${command}) could not be started: ${reasonOf(error)}`, {
        cause: error,
      })
    }
  }

  async #endFaulty(session: ServerSession, reason: string): Promise<void> {
    session.connection.fail(new Error(reason))
    await session.end()
  }

  /** Records the end of the current session. A session that was ended on purpose is no longer current and is ignored. */
  #noteEnd(session: ServerSession, reason: Error): void {
    if (this.#openSession !== session || this.#session === undefined) return
    this.#session = undefined
    this.#noteFailure(reason.message)
    // After a failure of the connection, the process is still running.
    void session.end()
  }

  #noteFailure(reason: string): void {
    this.#lastError = reason
    this.#failureTimes.push(Date.now())
    if (this.#failureTimes.length > MAX_FAILURES) this.#failureTimes.shift()
  }
}

function toMegabytes(bytes: number): number {
  return Math.round(bytes / 1024 ** 2)
}

function abortWhen(sessionEnd: Promise<Error>): AbortSignal {
  const controller = new AbortController()
  void sessionEnd.then((reason) => controller.abort(reason))
  return controller.signal
}
