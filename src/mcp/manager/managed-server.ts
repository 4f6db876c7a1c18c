import { ToolCallError } from '../../contract/errors.js'
import type { McpClientState } from '../../contract/tool/context.js'
import { quote } from '../../shared/quote.js'
import { reasonOf } from '../../shared/reason-of.js'
import { waitUnlessAborted } from '../../shared/waiting.js'
import type { McpConnection, ProgressReport, RawResult, ServerInfo } from '../client/connection.js'
import {
  isHeaderMismatch,
  isSessionLost,
  isUnreachable,
  needsAuthorization,
  toToolCallError,
} from '../client/connection-failure.js'
import { getCurrentExchange } from '../client/exchange.js'
import { AuthorizationNeededError, getStartLimit, type ListKind, openConnection } from '../client/open-connection.js'
import { ServerLog } from '../client/server-log.js'
import type { ConfiguredServer } from '../config/server-config.js'
import type { McpCallResult } from '../tools/build-mcp-tool.js'
import type { McpToolDefinition } from '../tools/read-definition.js'
import { ClientSessions } from './client-sessions.js'
import type { RequiredConfirmation } from './definition-review.js'
import { BackOff, type ServerEnvironment } from './server-environment.js'
import { OfferStore, type ServerOffer } from './server-offer.js'

/** How long a call may take without any progress if the configuration sets no limit. */
const DEFAULT_CALL_LIMIT_MS = 300_000

/** Cancellation and progress of one request to a server. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: ProgressReport) => void) | undefined
}

/** The state of a server for display. `refused` lists its tools that cannot be used. */
export interface ServerState extends McpClientState {
  readonly reason?: string
  readonly info?: ServerInfo
  readonly logPath?: string
  readonly toolCount: number
  readonly refused: ServerOffer['refused']
}

/** One server through all its sessions. It is started when needed and retried with back-off after failures. */
export class ManagedServer {
  readonly server: ConfiguredServer
  readonly #environment: ServerEnvironment
  readonly #log: ServerLog
  readonly #offers: OfferStore
  readonly #backOff: BackOff
  readonly #closing = new AbortController()
  readonly #clientSessions: ClientSessions
  #status: McpClientState['status']
  #reason: string | undefined
  #connection: McpConnection | undefined
  #pendingConnection: Promise<McpConnection> | undefined

  constructor(server: ConfiguredServer, environment: ServerEnvironment) {
    this.server = server
    this.#environment = environment
    this.#log = new ServerLog(server.name, environment.logFolder)
    this.#backOff = new BackOff(environment.now)
    this.#offers = new OfferStore(server, environment)
    this.#clientSessions = new ClientSessions(
      () => environment.gate.run(() => this.#openSession()),
      (problem) => environment.onProblem(`The MCP server ${server.name}: ${problem}`),
    )
    this.#status = server.config.disabled === true ? 'disabled' : 'pending'
    if (!server.approved) {
      this.#status = 'disabled'
      this.#reason = `It is not approved yet. Run: haft mcp approve ${server.name}`
    }
  }

  get name(): string {
    return this.server.name
  }

  get offer(): ServerOffer | undefined {
    return this.#status === 'disabled' ? undefined : this.#offers.offer
  }

  get state(): ServerState {
    const offer = this.offer
    return {
      name: this.name,
      status: this.#status,
      toolCount: offer?.definitions.length ?? 0,
      refused: offer?.refused ?? [],
      ...(offer !== undefined && this.#connection === undefined && { isCached: true }),
      ...(offer?.instructions !== undefined && { instructions: offer.instructions }),
      ...(this.#reason !== undefined && { reason: this.#reason }),
      ...(this.#connection !== undefined && { info: this.#connection.info }),
      ...(this.#log.path !== undefined && { logPath: this.#log.path }),
    }
  }

  /** Describes why a tool that the server lists cannot be used; undefined if there is no such tool. */
  findRefusal(isTool: (name: string) => boolean): string | undefined {
    if (this.offer?.definitions.some(({ name }) => isTool(name)) === true) return undefined
    const refusedTool = this.offer?.refused.find(({ name }) => isTool(name))
    return (
      refusedTool &&
      `The tool ${quote(refusedTool.name)} of the MCP server ${this.name} cannot be used: ${refusedTool.reason}.`
    )
  }

  /** Returns the end of the server's stderr output and log messages. */
  get recentOutput(): string {
    return this.#log.recentOutput
  }

  /** Returns the confirmation that the user must give before this tool may be called; undefined if none is needed. */
  findConfirmation(definition: McpToolDefinition): RequiredConfirmation | undefined {
    return this.#offers.findConfirmation(definition)
  }

  accept(definition: McpToolDefinition): Promise<void> {
    return this.#offers.accept(definition)
  }

  /** Loads cached definitions. Returns whether they are fresh enough not to start the server. */
  load(options?: { readonly isFreshOnly: boolean }): Promise<boolean> {
    return this.#status === 'disabled' ? Promise.resolve(true) : this.#offers.load(options)
  }

  /** Resolves when the server's tools and prompts are known. Rejects with the reason if the server cannot be started. */
  async ensureOffer(): Promise<void> {
    await this.load({ isFreshOnly: true })
    if (this.offer === undefined) await this.connect()
  }

  /** Connects unless the back-off forbids it. The outcome is visible in `state`. */
  async tryConnect(): Promise<void> {
    if (this.#status === 'disabled' || this.#status === 'needs-auth' || !this.#backOff.canTry) return
    await this.connect().catch(() => {})
  }

  /** Returns the current session, or opens one. */
  connect(signal?: AbortSignal): Promise<McpConnection> {
    if (this.#connection !== undefined) return Promise.resolve(this.#connection)
    const refusal = this.#findRefusal()
    if (refusal !== undefined) return Promise.reject(new ToolCallError('unavailable', refusal))
    this.#pendingConnection ??= this.#environment.gate
      .run(() => this.#open())
      .finally(() => {
        this.#pendingConnection = undefined
      })
    this.#pendingConnection.catch(() => {})
    return signal === undefined ? this.#pendingConnection : this.#awaitConnection(this.#pendingConnection, signal)
  }

  /** Waits until connected or the signal is aborted. Connecting continues for other callers. */
  async #awaitConnection(pendingConnection: Promise<McpConnection>, signal: AbortSignal): Promise<McpConnection> {
    const connection = await waitUnlessAborted(pendingConnection, signal)
    if (connection !== undefined) return connection.value
    throw new ToolCallError('cancelled', `The call was cancelled while connecting to the MCP server ${this.name}.`)
  }

  /** Resets the back-off and opens a new session. */
  async reconnect(signal?: AbortSignal): Promise<void> {
    await this.#closeConnection()
    this.#backOff.recordSuccess()
    if (this.#status !== 'disabled') this.#setStatus('pending')
    await this.connect(signal)
  }

  /** Starts a server that was turned off, or ends the session of one and hides its tools. */
  async setEnabled(isEnabled: boolean, signal?: AbortSignal): Promise<void> {
    if (isEnabled) {
      if (this.#status !== 'disabled') return
      if (!this.server.approved) throw new ToolCallError('unavailable', this.#reason ?? `${this.name} is not approved.`)
      this.#status = 'pending'
      return await this.reconnect(signal)
    }
    this.#setStatus('disabled')
    await this.#closeConnection()
  }

  callTool(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    { signal, onProgress }: CallOptions = {},
  ): Promise<McpCallResult> {
    return this.#send(signal, async (connection) => {
      const definition = this.#offers.getDefinition(tool)
      const confirmation = this.#offers.findConfirmation(definition)
      // The definition changed after the call was allowed, or the user was never asked about it.
      if (confirmation !== undefined)
        throw new ToolCallError('permission_needed', `Ask the user: ${confirmation.question.message}`)
      const { inputSchema, isTask } = definition
      const call = { name: tool, arguments: args, inputSchema, mustRunAsTask: isTask }
      return readCallResult(await connection.callTool(call, { signal, onProgress, limitMs: this.#limitMs }))
    })
  }

  /** Sends a request other than a tool call. */
  request(method: string, params: Readonly<Record<string, unknown>>, options: CallOptions = {}): Promise<RawResult> {
    return this.#send(options.signal, (connection) =>
      connection.request(method, params, { ...options, limitMs: this.#limitMs }),
    )
  }

  list(method: Parameters<McpConnection['list']>[0], options: CallOptions = {}): Promise<readonly unknown[]> {
    return this.#send(options.signal, (connection) => connection.list(method, { ...options, limitMs: this.#limitMs }))
  }

  watchResource(uri: string, isWatched: boolean): Promise<void> {
    return this.#send(undefined, (connection) => connection.watchResource(uri, isWatched, { limitMs: this.#limitMs }))
  }

  async announceRootsChange(): Promise<void> {
    await Promise.all([this.#connection?.announceRootsChange(), this.#clientSessions.announceRootsChange()])
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#pendingConnection?.catch(() => {})
    await this.#clientSessions.close()
    await this.#closeConnection()
  }

  get #limitMs(): number {
    return this.server.config.timeoutMs ?? DEFAULT_CALL_LIMIT_MS
  }

  /** Sends a request in a session that the current client may use. */
  async #send<T>(signal: AbortSignal | undefined, send: SendRequest<T>, isRetry = false): Promise<T> {
    const mainConnection = this.#connection ?? (await this.connect(signal))
    const exchange = getCurrentExchange()
    const sendOn = (connection: McpConnection) => this.#sendOn(connection, signal, send, isRetry)
    if (exchange === undefined || mainConnection.info.era === 'modern') return sendOn(mainConnection)
    return this.#clientSessions.run(mainConnection, exchange, sendOn, signal)
  }

  /**
   * Sends a request. Repeats it once if the session was lost before the request was processed, or if the definition was
   * outdated.
   */
  async #sendOn<T>(
    connection: McpConnection,
    signal: AbortSignal | undefined,
    send: SendRequest<T>,
    isRetry: boolean,
  ): Promise<T> {
    try {
      const answer = await send(connection)
      this.#backOff.recordSuccess()
      return answer
    } catch (error) {
      if (!isRetry && isSessionLost(error)) await this.#closeConnection(connection)
      else if (!isRetry && isHeaderMismatch(error)) await this.#offers.fetch(connection, this.#closing.signal)
      else {
        if (isUnreachable(error)) await this.#closeConnection(connection)
        throw this.#explain(error)
      }
    }
    return this.#send(signal, send, true)
  }

  #explain(error: unknown): ToolCallError {
    if (needsAuthorization(error)) this.#setStatus('needs-auth', reasonOf(error))
    return toToolCallError(this.name, error)
  }

  async #open(): Promise<McpConnection> {
    const { signal } = this.#closing
    const startedAt = performance.now()
    let connection: McpConnection | undefined
    try {
      connection = await this.#openSession()
      const openedConnection = connection
      openedConnection.onClosed((reason) => this.#handleClose(openedConnection, reason))
      const remainingMs = getStartLimit(this.server.config) - (performance.now() - startedAt)
      await this.#offers.fetch(openedConnection, signal, Math.max(1, Math.ceil(remainingMs)))
    } catch (error) {
      await connection?.close().catch(() => {})
      this.#handleFailure(error)
      throw error instanceof ToolCallError ? error : new ToolCallError('unavailable', reasonOf(error), { cause: error })
    }
    this.#connection = connection
    this.#setStatus('connected')
    return connection
  }

  async #openSession(): Promise<McpConnection> {
    const { server, name } = this
    const { services, requests, version, access, onProblem } = this.#environment
    const { signal } = this.#closing
    signal.throwIfAborted()
    const connection = await openConnection({
      ...{ name, services, requests, version, signal },
      config: server.config,
      log: this.#log,
      era: this.#offers.offer?.raw.era,
      access: access?.(server),
      onListChanged: (kind) => this.#refresh(kind),
      onNotice: onProblem,
    })
    connection.onClosed(() => {
      this.#clientSessions.remove(connection)
      // Closing also ends child processes that the server left behind.
      void connection.close().catch(() => {})
    })
    return connection
  }

  #refresh(changedList: ListKind): void {
    const connection = this.#connection
    if (connection !== undefined) this.#offers.refresh(connection, this.#closing.signal, changedList)
  }

  #handleClose(connection: McpConnection, reason: string): void {
    // Closing also ends child processes that the server left behind.
    void connection.close().catch(() => {})
    this.#clientSessions.remove(connection)
    if (this.#connection !== connection) return
    this.#connection = undefined
    this.#backOff.recordFailure()
    this.#setStatus('failed', reason)
  }

  #handleFailure(error: unknown): void {
    this.#backOff.recordFailure()
    if (!this.#closing.signal.aborted) {
      this.#setStatus(error instanceof AuthorizationNeededError ? 'needs-auth' : 'failed', reasonOf(error))
    }
  }

  /** Closes the current session. If `expected` is set, closes it only if it is that one. */
  async #closeConnection(expected?: McpConnection): Promise<void> {
    const connection = this.#connection
    if (expected !== undefined && connection !== expected) {
      this.#clientSessions.remove(expected)
      await expected.close().catch(() => {})
      return
    }
    if (connection === undefined) return
    this.#connection = undefined
    await connection.close().catch(() => {})
  }

  #findRefusal(): string | undefined {
    if (this.#closing.signal.aborted) return `The MCP server ${this.name} was shut down.`
    if (this.#status === 'disabled') return `The MCP server ${this.name} is disabled. ${this.#reason ?? ''}`.trim()
    if (this.#backOff.hasGivenUp)
      return `${this.#reason ?? ''} The MCP server ${this.name} failed too often and is no longer retried. To find the cause, run: haft mcp test ${this.name}`.trim()
    const { waitMs } = this.#backOff
    return waitMs === 0 ? undefined : `${this.#reason ?? ''} Next retry in ${Math.ceil(waitMs / 1000)} s.`.trim()
  }

  #setStatus(status: McpClientState['status'], reason?: string): void {
    this.#status = status
    this.#reason = reason
    // The description of a tool list names the servers that are still starting.
    this.#environment.onChange(['tools'])
  }
}

type SendRequest<T> = (connection: McpConnection) => Promise<T>

function readCallResult({ entries, result }: RawResult): McpCallResult {
  const { structuredContent, isError, _meta } = result
  return {
    content: entries,
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isError === true && { isError }),
    ...(typeof _meta === 'object' && _meta !== null && { _meta: _meta as Record<string, unknown> }),
  }
}
