import { ToolCallError } from '../../contract/errors.js'
import type { McpClientState } from '../../contract/tool/context.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { McpConnection, ProgressReport, RawResult, ServerInfo } from '../client/connection.js'
import {
  isHeaderMismatch,
  isSessionLost,
  isUnreachable,
  needsAuthorization,
  serverFailure,
} from '../client/connection-failure.js'
import { AuthorizationNeededError, openConnection } from '../client/open-connection.js'
import { ServerLog } from '../client/server-log.js'
import type { ConfiguredServer } from '../config/server-config.js'
import type { McpCallResult } from '../tools/build-mcp-tool.js'
import type { McpToolDefinition } from '../tools/read-definition.js'
import type { DefinitionDoubt } from './definition-review.js'
import { BackOff, type ServerWorld } from './server-environment.js'
import { OfferKeeper, type ServerOffer } from './server-offer.js'

/** How long a call may go without a sign of life, unless the configuration says otherwise. */
const DEFAULT_CALL_LIMIT_MS = 300_000

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: ProgressReport) => void) | undefined
}

/** How a server stands. */
export interface ServerState extends McpClientState {
  readonly reason?: string
  readonly info?: ServerInfo
  readonly logPath?: string
  readonly toolCount: number
  readonly refused: ServerOffer['refused']
}

/** One server through all its sessions: started when it is needed, tried again when it fails, never in the way of another. */
export class ManagedServer {
  readonly server: ConfiguredServer
  readonly #world: ServerWorld
  readonly #log: ServerLog
  readonly #offers: OfferKeeper
  readonly #backOff: BackOff
  readonly #over = new AbortController()
  #status: McpClientState['status']
  #reason: string | undefined
  #connection: McpConnection | undefined
  #connecting: Promise<McpConnection> | undefined

  constructor(server: ConfiguredServer, world: ServerWorld) {
    this.server = server
    this.#world = world
    this.#log = new ServerLog(server.name, world.logFolder)
    this.#backOff = new BackOff(world.now)
    this.#offers = new OfferKeeper(server, world)
    this.#status = server.config.disabled === true ? 'disabled' : 'pending'
    if (!server.approved) {
      this.#status = 'disabled'
      this.#reason = `Nobody has approved it yet: haft mcp approve ${server.name}`
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
      ...(this.#reason !== undefined && { reason: this.#reason }),
      ...(this.#connection !== undefined && { info: this.#connection.info }),
      ...(this.#log.path !== undefined && { logPath: this.#log.path }),
    }
  }

  /** The end of what it said beside its messages. */
  get lastWords(): string {
    return this.#log.lastWords
  }

  /** What a person has to be asked before this tool may be called. */
  doubt(definition: McpToolDefinition): DefinitionDoubt | undefined {
    return this.#offers.doubt(definition)
  }

  accept(definition: McpToolDefinition): Promise<void> {
    return this.#offers.accept(definition)
  }

  /** Takes what is known from last time; whether that is fresh enough not to start the server. */
  load(how?: { readonly onlyFresh: boolean }): Promise<boolean> {
    return this.#status === 'disabled' ? Promise.resolve(true) : this.#offers.load(how)
  }

  /** Resolves when it has said what it has; fails with the reason why it cannot. */
  async come(): Promise<void> {
    await this.load({ onlyFresh: true })
    if (this.offer === undefined) await this.connect()
  }

  /** Tries to have an offer, if the time for it has come; how it ends is seen by the state. */
  async begin(): Promise<void> {
    if (this.#status === 'disabled' || this.#status === 'needs-auth' || !this.#backOff.mayTry) return
    await this.connect().catch(() => {})
  }

  /** The session, opened if there is none. */
  connect(signal?: AbortSignal): Promise<McpConnection> {
    if (this.#connection !== undefined) return Promise.resolve(this.#connection)
    const refusal = this.#refusal()
    if (refusal !== undefined) return Promise.reject(new ToolCallError('unavailable', refusal))
    this.#connecting ??= this.#world.gate
      .run(() => this.#open())
      .finally(() => {
        this.#connecting = undefined
      })
    this.#connecting.catch(() => {})
    return orAborted(this.#connecting, signal, this.name)
  }

  /** Forgets past failures and opens a new session. */
  async reconnect(signal?: AbortSignal): Promise<void> {
    await this.#drop()
    this.#backOff.succeeded()
    if (this.#status !== 'disabled') this.#setStatus('pending')
    await this.connect(signal)
  }

  callTool(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    { signal, onProgress }: CallOptions = {},
  ): Promise<McpCallResult> {
    return this.#ask(signal, async (connection) => {
      const definition = this.#offers.definition(tool)
      const doubt = this.#offers.doubt(definition)
      // It changed after the call was let through, or nobody was asked at all.
      if (doubt !== undefined) throw new ToolCallError('permission_needed', `Ask the user: ${doubt.question.message}`)
      const { inputSchema, isTask } = definition
      const call = { name: tool, arguments: args, inputSchema, asTask: isTask }
      return readCallResult(await connection.callTool(call, { signal, onProgress, limitMs: this.#limitMs }))
    })
  }

  /** Any other request. */
  request(method: string, params: Readonly<Record<string, unknown>>, options: CallOptions = {}): Promise<RawResult> {
    return this.#ask(options.signal, (connection) =>
      connection.request(method, params, { ...options, limitMs: this.#limitMs }),
    )
  }

  list(method: Parameters<McpConnection['list']>[0], options: CallOptions = {}): Promise<readonly unknown[]> {
    return this.#ask(options.signal, (connection) => connection.list(method, { ...options, limitMs: this.#limitMs }))
  }

  watchResource(uri: string, isWatched: boolean): Promise<void> {
    return this.#ask(undefined, (connection) => connection.watchResource(uri, isWatched, { limitMs: this.#limitMs }))
  }

  async rootsChanged(): Promise<void> {
    await this.#connection?.rootsChanged()
  }

  async close(): Promise<void> {
    this.#over.abort()
    await this.#connecting?.catch(() => {})
    await this.#drop()
  }

  get #limitMs(): number {
    return this.server.config.timeoutMs ?? DEFAULT_CALL_LIMIT_MS
  }

  /** Asks once, and once more where the server cannot have heard the first time or was asked by an old definition. */
  async #ask<T>(signal: AbortSignal | undefined, send: (connection: McpConnection) => Promise<T>): Promise<T> {
    const connection = this.#connection ?? (await this.connect(signal))
    try {
      const answer = await send(connection)
      this.#backOff.succeeded()
      return answer
    } catch (error) {
      if (isSessionLost(error)) await this.#drop(connection)
      else if (isHeaderMismatch(error)) await this.#offers.fetch(connection, this.#over.signal)
      else {
        if (isUnreachable(error)) await this.#drop(connection)
        throw this.#explain(error)
      }
    }
    try {
      return await send(await this.connect(signal))
    } catch (error) {
      throw this.#explain(error)
    }
  }

  #explain(error: unknown): ToolCallError {
    if (needsAuthorization(error)) this.#setStatus('needs-auth', reasonOf(error))
    return serverFailure(this.name, error)
  }

  async #open(): Promise<McpConnection> {
    const { server, name } = this
    const { services, requests, version, access } = this.#world
    const { signal } = this.#over
    let connection: McpConnection | undefined
    try {
      signal.throwIfAborted()
      connection = await openConnection({
        ...{ name, services, requests, version, signal },
        config: server.config,
        log: this.#log,
        era: this.#offers.offer?.raw.era,
        access: access?.(server),
        onListChanged: () => this.#refresh(),
      })
      const opened = connection
      opened.onClosed((reason) => this.#lost(opened, reason))
      await this.#offers.fetch(opened, signal)
    } catch (error) {
      await connection?.close().catch(() => {})
      this.#failed(error)
      throw error instanceof ToolCallError ? error : new ToolCallError('unavailable', reasonOf(error), { cause: error })
    }
    this.#connection = connection
    this.#setStatus('connected')
    return connection
  }

  #refresh(): void {
    const connection = this.#connection
    if (connection !== undefined) this.#offers.refresh(connection, this.#over.signal)
  }

  #lost(connection: McpConnection, reason: string): void {
    // The process may have left others behind.
    void connection.close().catch(() => {})
    if (this.#connection !== connection) return
    this.#connection = undefined
    this.#backOff.failed()
    this.#setStatus('failed', reason)
  }

  #failed(error: unknown): void {
    this.#backOff.failed()
    if (!this.#over.signal.aborted) {
      this.#setStatus(error instanceof AuthorizationNeededError ? 'needs-auth' : 'failed', reasonOf(error))
    }
  }

  async #drop(only?: McpConnection): Promise<void> {
    const connection = this.#connection
    if (connection === undefined || (only !== undefined && connection !== only)) return
    this.#connection = undefined
    await connection.close().catch(() => {})
  }

  #refusal(): string | undefined {
    if (this.#over.signal.aborted) return `The MCP server ${this.name} was shut down.`
    if (this.#status === 'disabled') return `The MCP server ${this.name} is switched off. ${this.#reason ?? ''}`.trim()
    if (this.#backOff.hasGivenUp) return `${this.#reason ?? ''} It failed too often and is not tried any more.`.trim()
    const { waitMs } = this.#backOff
    return waitMs === 0 ? undefined : `${this.#reason ?? ''} It is tried again in ${Math.ceil(waitMs / 1000)} s.`.trim()
  }

  #setStatus(status: McpClientState['status'], reason?: string): void {
    this.#status = status
    this.#reason = reason
    this.#world.onChange()
  }
}

function readCallResult({ entries, result }: RawResult): McpCallResult {
  const { structuredContent, isError, _meta } = result
  return {
    content: entries,
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isError === true && { isError }),
    ...(typeof _meta === 'object' && _meta !== null && { _meta: _meta as Record<string, unknown> }),
  }
}

/** Who waits for something may leave; what is waited for goes on. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined, name: string): Promise<T> {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const leave = (): void =>
      reject(new ToolCallError('cancelled', `The call was cancelled before ${name} was reached.`))
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
