import type { Client, Implementation, McpSubscription, ServerCapabilities } from '@modelcontextprotocol/client'
import { ToolCallError } from '../../contract/errors.js'
import { isRecord } from '../../shared/is-record.js'
import { estimateJsonSize } from '../../shared/json-size.js'
import { toPlainOutput } from '../../shared/plain-output.js'
import { MAX_TIMER_MS } from '../../shared/waiting.js'
import { isClosed, isConnectionReset } from './connection-failure.js'
import {
  attributeToServer,
  type Exchange,
  getCurrentExchange,
  type InputRequests,
  type OpenExchanges,
  selectForwardedMeta,
} from './exchange.js'
import { ENTRIES_KEY, type GuardedTransport } from './guarded-transport.js'
import { ActivityTimeout, repeatIfTooMany } from './request-limits.js'
import type { ServerLog } from './server-log.js'

export interface ServerInfo {
  readonly serverInfo: Implementation | undefined
  readonly capabilities: ServerCapabilities
  readonly instructions: string | undefined
  readonly protocolVersion: string | undefined
  readonly era: 'legacy' | 'modern'
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  /** How long the request may take without any progress, in milliseconds. */
  readonly limitMs: number
  readonly onProgress?: ((progress: ProgressReport) => void) | undefined
}

export interface ProgressReport {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

export interface ToolCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** The input schema of the tool. Some of its properties may have to be sent as headers. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** Whether the tool can only be called as a task. */
  readonly mustRunAsTask?: boolean
}

/** A result as the server sent it, except that its list is moved to `entries`. */
export interface RawResult {
  readonly entries: readonly unknown[]
  readonly result: Readonly<Record<string, unknown>>
}

/** Limits for a list. No sensible server needs more. */
const MAX_ENTRIES = 5_000
const MAX_PAGES = 500
const MAX_EMPTY_PAGES = 20
const MAX_LIST_CHARS = 64 * 1024 * 1024
/** How long the server is asked to keep the result of a task. */
const TASK_TTL_MS = 60 * 60 * 1000
const MAX_SPARE_CONTROLLERS = 8
/** Disables the SDK's own timeout, which would also count the time in which a person answers a question. */
const NO_TIMEOUT_MS = MAX_TIMER_MS

const ANY_RESULT = {
  '~standard': { version: 1 as const, vendor: 'haft', validate: (value: unknown) => ({ value }) },
}

/** One session with one server. Every request ends, even if the server does not answer. */
export class McpConnection {
  readonly info: ServerInfo
  readonly log: ServerLog
  readonly #name: string
  readonly #client: Client
  readonly #transport: GuardedTransport
  readonly #timeouts: Set<ActivityTimeout>
  /** The client requests that wait for this session. */
  readonly exchanges: OpenExchanges
  readonly #subscriptions = new Map<string, McpSubscription>()
  /** Controllers are reused after a request has ended, because creating one is a large part of the cost of a call. */
  readonly #spareControllers: AbortController[] = []
  #closeReason: string | undefined
  #onClosed: (reason: string) => void = () => undefined

  constructor(options: {
    readonly name: string
    readonly client: Client
    readonly transport: GuardedTransport
    readonly timeouts: Set<ActivityTimeout>
    readonly log: ServerLog
    readonly exchanges: OpenExchanges
  }) {
    this.#name = options.name
    this.#client = options.client
    this.#transport = options.transport
    this.#timeouts = options.timeouts
    this.exchanges = options.exchanges
    this.log = options.log
    this.info = {
      serverInfo: options.client.getServerVersion(),
      capabilities: options.client.getServerCapabilities() ?? {},
      instructions: options.client.getInstructions(),
      protocolVersion: options.client.getNegotiatedProtocolVersion(),
      era: options.client.getProtocolEra() ?? 'legacy',
    }
    const { client } = options
    client.onerror = ({ message }) => {
      this.#closeReason = message
    }
    client.onclose = () => this.#onClosed(this.#closeReason ?? 'The connection to the server was closed.')
  }

  /** Sets the listener that is called when the session ends without `close`. */
  onClosed(listener: (reason: string) => void): void {
    this.#onClosed = listener
  }

  /** Fetches the pages of a list, up to `MAX_PAGES` and `MAX_ENTRIES`. Throws if the list is too large. */
  async list(method: ListMethod, options: RequestOptions): Promise<readonly unknown[]> {
    const allEntries: unknown[] = []
    const cursors = new Set<string>()
    let cursor: string | undefined
    let chars = 0
    let emptyPages = 0
    for (let page = 0; page < MAX_PAGES; page++) {
      const { entries, result } = await this.#requestPage(method, cursor === undefined ? {} : { cursor }, options)
      chars += estimateJsonSize(entries)
      if (chars > MAX_LIST_CHARS) throw new Error(`the result of ${method} exceeds ${MAX_LIST_CHARS} characters`)
      for (const entry of entries) allEntries.push(entry)
      emptyPages = entries.length === 0 ? emptyPages + 1 : 0
      const nextCursor = result.nextCursor
      // A repeated cursor means that the server returns the same pages again.
      if (typeof nextCursor !== 'string' || cursors.has(nextCursor) || allEntries.length >= MAX_ENTRIES) break
      // An endless list of empty pages.
      if (emptyPages >= MAX_EMPTY_PAGES) break
      cursors.add(nextCursor)
      cursor = nextCursor
    }
    return allEntries.slice(0, MAX_ENTRIES)
  }

  /** Requests a page of a list, which has no effect and so is repeated once if the connection was reset. */
  async #requestPage(method: ListMethod, params: Readonly<Record<string, unknown>>, options: RequestOptions) {
    try {
      return await this.request(method, params, options)
    } catch (error) {
      if (!isConnectionReset(error) || options.signal?.aborted === true) throw error
      return this.request(method, params, options)
    }
  }

  callTool(call: ToolCall, options: RequestOptions): Promise<RawResult> {
    const { name, inputSchema, mustRunAsTask } = call
    if (mustRunAsTask === true) return this.#callAsTask(call, options)
    const toolDefinition = { name, inputSchema: { ...inputSchema, type: 'object' as const } }
    return this.#send(`tools/call ${name}`, options, (sendOptions, extraParams) =>
      this.#client.callTool(
        { name, arguments: { ...call.arguments }, ...extraParams },
        { ...sendOptions, toolDefinition },
      ),
    )
  }

  /** Starts the task with one request and waits for its result with another. */
  async #callAsTask(call: ToolCall, options: RequestOptions): Promise<RawResult> {
    const { name, arguments: args } = call
    const { result } = await this.request('tools/call', { name, arguments: args, task: { ttl: TASK_TTL_MS } }, options)
    const taskId = isRecord(result.task) ? result.task.taskId : undefined
    if (typeof taskId !== 'string') throw new Error(`the tool ${name} did not start a task`)
    try {
      return await this.request('tasks/result', { taskId }, options)
    } catch (error) {
      // The result is no longer needed, so it does not matter whether the cancellation succeeds.
      void this.request('tasks/cancel', { taskId }, { limitMs: options.limitMs }).catch(() => {})
      throw error
    }
  }

  request(method: string, params: Readonly<Record<string, unknown>>, options: RequestOptions): Promise<RawResult> {
    return this.#send(method, options, (sendOptions, extraParams) =>
      this.#client.request({ method, params: { ...params, ...extraParams } }, ANY_RESULT, sendOptions),
    )
  }

  /** Subscribes to changes of a resource or unsubscribes. The protocol revisions do this differently. */
  async watchResource(uri: string, isWatched: boolean, options: RequestOptions): Promise<void> {
    if (this.info.era === 'legacy') {
      await this.request(isWatched ? 'resources/subscribe' : 'resources/unsubscribe', { uri }, options)
      return
    }
    const subscription = this.#subscriptions.get(uri)
    this.#subscriptions.delete(uri)
    if (isWatched) this.#subscriptions.set(uri, await this.#client.listen({ resourceSubscriptions: [uri] }))
    await subscription?.close()
  }

  async announceRootsChange(): Promise<void> {
    if (this.info.era === 'legacy') await this.#client.sendRootsListChanged()
  }

  async close(): Promise<void> {
    this.#onClosed = () => undefined
    // Without this, an HTTP server would keep the session.
    await this.#transport.endSession()
    await this.#client.close()
  }

  async #send(requestName: string, { signal, limitMs, onProgress }: RequestOptions, send: Send): Promise<RawResult> {
    const exchange = getCurrentExchange()
    const controller = this.#spareControllers.pop() ?? new AbortController()
    const unmatchedBefore = this.#transport.unmatchedResponses
    const timeout = new ActivityTimeout(limitMs, () =>
      controller.abort(this.#createTimeoutError(requestName, limitMs, unmatchedBefore)),
    )
    const cancel = (): void => controller.abort(new ToolCallError('cancelled', `${requestName} was cancelled.`))
    this.#timeouts.add(timeout)
    signal?.addEventListener('abort', cancel, { once: true })
    if (signal?.aborted) cancel()
    try {
      controller.signal.throwIfAborted()
      const report =
        onProgress &&
        ((progress: SentProgress) => {
          timeout.reset()
          onProgress(readProgress(progress))
        })
      const baseOptions = { signal: controller.signal, timeout: NO_TIMEOUT_MS }
      const sendOptions = report === undefined ? baseOptions : { ...baseOptions, onprogress: report }
      const sendPatiently: Send = (...args) => repeatIfTooMany(() => send(...args), controller.signal, timeout)
      if (exchange === undefined) return readResult(await sendPatiently(sendOptions, {}))
      const result = await this.exchanges.track(exchange, () =>
        this.info.era === 'legacy'
          ? sendPatiently(sendOptions, selectForwardedMeta(exchange.meta))
          : sendInExchange(this.#name, exchange, timeout, (extraParams) =>
              sendPatiently({ ...sendOptions, allowInputRequired: true }, extraParams),
            ),
      )
      return readResult(result)
    } catch (error) {
      throw controller.signal.aborted ? controller.signal.reason : this.#explain(error)
    } finally {
      timeout.dispose()
      this.#timeouts.delete(timeout)
      signal?.removeEventListener('abort', cancel)
      if (!controller.signal.aborted && this.#spareControllers.length < MAX_SPARE_CONTROLLERS)
        this.#spareControllers.push(controller)
    }
  }

  #createTimeoutError(requestName: string, limitMs: number, unmatchedBefore: number): ToolCallError {
    const unmatchedCount = this.#transport.unmatchedResponses - unmatchedBefore
    const hint =
      unmatchedCount === 0
        ? ''
        : ` The server sent ${unmatchedCount === 1 ? '1 response that matches' : `${unmatchedCount} responses that match`} no request.`
    const message = `The MCP server ${this.#name} made no progress for ${limitMs / 1000} s in ${requestName}, so the request was cancelled.${hint} It is unknown whether the request took effect.`
    return new ToolCallError('timed_out', message)
  }

  #explain(error: unknown): unknown {
    if (!isClosed(error)) return error
    const output = this.log.recentOutput
    const tail = output === '' ? '' : ` Its last output:\n${output}`
    const message = `The connection to the MCP server ${this.#name} was lost before the server answered. ${this.#closeReason ?? ''} It is unknown whether the call took effect. The server is started again when it is needed.${tail}`
    return new ToolCallError('tool_failed', message, { cause: error })
  }
}

export type ListMethod = 'tools/list' | 'resources/list' | 'resources/templates/list' | 'prompts/list'

type Send = (sendOptions: SendOptions, extraParams: Readonly<Record<string, unknown>>) => Promise<unknown>

/** The maximum number of rounds of input requests in one call. */
const MAX_ROUNDS = 50

/**
 * Repeats the request with answers as long as the server requires input. The time for answering does not count towards the
 * limit.
 */
async function sendInExchange(
  serverName: string,
  exchange: Exchange,
  timeout: ActivityTimeout,
  send: (extraParams: Readonly<Record<string, unknown>>) => Promise<unknown>,
): Promise<unknown> {
  const { meta } = exchange
  let result = await send({ _meta: meta })
  for (let round = 0; isRecord(result) && result.resultType === 'input_required'; round++) {
    if (round === MAX_ROUNDS) throw new Error(`the server required input ${MAX_ROUNDS} times without a result`)
    const { inputRequests = {}, requestState } = result
    timeout.pause()
    const inputResponses = await exchange
      .answer(attributeToServer(serverName, inputRequests as InputRequests))
      .finally(() => timeout.resume())
    result = await send({ _meta: meta, inputResponses, ...(requestState !== undefined && { requestState }) })
  }
  return result
}

interface SendOptions {
  readonly allowInputRequired?: boolean
  readonly signal: AbortSignal
  readonly timeout: number
  readonly onprogress?: (progress: SentProgress) => void
}

interface SentProgress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

function readProgress({ progress, total, message }: SentProgress): ProgressReport {
  return {
    progress,
    ...(total !== undefined && { total }),
    ...(message !== undefined && { message: toPlainOutput(message) }),
  }
}

function readResult(value: unknown): RawResult {
  if (!isRecord(value)) throw new Error('the result is not an object')
  const { [ENTRIES_KEY]: entries, ...result } = value
  return { entries: Array.isArray(entries) ? entries : [], result }
}
