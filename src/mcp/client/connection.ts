import type { Client, Implementation, McpSubscription, ServerCapabilities } from '@modelcontextprotocol/client'
import { ToolCallError } from '../../contract/errors.js'
import { isRecord } from '../../shared/is-record.js'
import { plainOutput } from '../../shared/plain-output.js'
import { roughSize } from '../../shared/rough-size.js'
import { isClosed } from './connection-failure.js'
import { currentExchange, type Exchange, type InputRequests, type OpenExchanges, saidBy } from './exchange.js'
import { ENTRIES, type GuardedTransport } from './guarded-transport.js'
import { ReportBudget, SignOfLife } from './request-limits.js'
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
  /** How long it may go without a sign of life. */
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
  /** The one that the tool is known by: some of its fields may have to go into headers. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** The tool is only to be had as a task. */
  readonly asTask?: boolean
}

/** A result as the server sent it, its list under `entries`. */
export interface RawResult {
  readonly entries: readonly unknown[]
  readonly result: Readonly<Record<string, unknown>>
}

/** More than any server can mean. */
const MOST_ENTRIES = 5_000
const MOST_PAGES = 500
const MOST_LIST_CHARS = 64 * 1024 * 1024
/** How long a server keeps what a task gave. */
const TASK_MS = 60 * 60 * 1000
const MOST_SPARE = 8
/** The SDK's own limit is put out of the way: it knows nothing of people who take their time. */
const NO_LIMIT_MS = 2 ** 31 - 1

const ANY_RESULT = {
  '~standard': { version: 1 as const, vendor: 'haft', validate: (value: unknown) => ({ value }) },
}

/** One session with one server. Whatever the server does, every request ends. */
export class McpConnection {
  readonly info: ServerInfo
  readonly log: ServerLog
  readonly #name: string
  readonly #client: Client
  readonly #transport: GuardedTransport
  readonly #limits: Set<SignOfLife>
  readonly #exchanges: OpenExchanges
  readonly #watches = new Map<string, McpSubscription>()
  /** Making one is a good part of what a call costs here, and nobody listens any more to one whose request has ended. */
  readonly #spare: AbortController[] = []
  readonly #reports = new ReportBudget()
  #closeReason: string | undefined
  #onClosed: (reason: string) => void = () => undefined

  constructor(parts: {
    readonly name: string
    readonly client: Client
    readonly transport: GuardedTransport
    readonly limits: Set<SignOfLife>
    readonly log: ServerLog
    readonly exchanges: OpenExchanges
  }) {
    this.#name = parts.name
    this.#client = parts.client
    this.#transport = parts.transport
    this.#limits = parts.limits
    this.#exchanges = parts.exchanges
    this.log = parts.log
    this.info = {
      serverInfo: parts.client.getServerVersion(),
      capabilities: parts.client.getServerCapabilities() ?? {},
      instructions: parts.client.getInstructions(),
      protocolVersion: parts.client.getNegotiatedProtocolVersion(),
      era: parts.client.getProtocolEra() ?? 'legacy',
    }
    const { client } = parts
    client.onerror = ({ message }) => {
      this.#closeReason = message
    }
    client.onclose = () => this.#onClosed(this.#closeReason ?? 'The connection was closed.')
  }

  /** Heard once, when the session is over without having been closed from here. */
  onClosed(listener: (reason: string) => void): void {
    this.#onClosed = listener
  }

  /** Every page of a list, as far as it goes. */
  async list(method: ListMethod, options: RequestOptions): Promise<readonly unknown[]> {
    const all: unknown[] = []
    const cursors = new Set<string>()
    let cursor: string | undefined
    let chars = 0
    for (let page = 0; page < MOST_PAGES; page++) {
      const { entries, result } = await this.request(method, cursor === undefined ? {} : { cursor }, options)
      chars += roughSize(entries)
      if (chars > MOST_LIST_CHARS) throw new Error(`${method} is longer than any list may be`)
      for (const entry of entries) all.push(entry)
      const next = result.nextCursor
      // A server that leads in circles has said all it has to say.
      if (typeof next !== 'string' || cursors.has(next) || all.length >= MOST_ENTRIES) break
      cursors.add(next)
      cursor = next
    }
    return all.slice(0, MOST_ENTRIES)
  }

  callTool(call: ToolCall, options: RequestOptions): Promise<RawResult> {
    const { name, inputSchema, asTask } = call
    if (asTask === true) return this.#callAsTask(call, options)
    const toolDefinition = { name, inputSchema: { ...inputSchema, type: 'object' as const } }
    return this.#within(`tools/call ${name}`, options, (how, more) =>
      this.#client.callTool({ name, arguments: { ...call.arguments }, ...more }, { ...how, toolDefinition }),
    )
  }

  /** Some tools are begun by one request and awaited by another. */
  async #callAsTask(call: ToolCall, options: RequestOptions): Promise<RawResult> {
    const { name, arguments: args } = call
    const { result } = await this.request('tools/call', { name, arguments: args, task: { ttl: TASK_MS } }, options)
    const taskId = isRecord(result.task) ? result.task.taskId : undefined
    if (typeof taskId !== 'string') throw new Error(`the tool ${name} was to begin a task, and did not`)
    try {
      return await this.request('tasks/result', { taskId }, options)
    } catch (error) {
      // Nobody waits for it any more; whether the server hears that is its own affair.
      void this.request('tasks/cancel', { taskId }, { limitMs: options.limitMs }).catch(() => {})
      throw error
    }
  }

  request(method: string, params: Readonly<Record<string, unknown>>, options: RequestOptions): Promise<RawResult> {
    return this.#within(method, options, (how, more) =>
      this.#client.request({ method, params: { ...params, ...more } }, ANY_RESULT, how),
    )
  }

  /** Has the server tell when a resource changes, or no longer; each revision has a way of its own. */
  async watchResource(uri: string, isWatched: boolean, options: RequestOptions): Promise<void> {
    if (this.info.era === 'legacy') {
      await this.request(isWatched ? 'resources/subscribe' : 'resources/unsubscribe', { uri }, options)
      return
    }
    const watch = this.#watches.get(uri)
    this.#watches.delete(uri)
    if (isWatched) this.#watches.set(uri, await this.#client.listen({ resourceSubscriptions: [uri] }))
    await watch?.close()
  }

  async rootsChanged(): Promise<void> {
    if (this.info.era === 'legacy') await this.#client.sendRootsListChanged()
  }

  async close(): Promise<void> {
    this.#onClosed = () => undefined
    // A session that HTTP servers keep would stay with them for ever.
    await this.#transport.endSession()
    await this.#client.close()
  }

  async #within(what: string, { signal, limitMs, onProgress }: RequestOptions, send: Send): Promise<RawResult> {
    const exchange = currentExchange()
    const giveUp = this.#spare.pop() ?? new AbortController()
    const stray = this.#transport.strayAnswers
    const limit = new SignOfLife(limitMs, () => giveUp.abort(this.#silence(what, limitMs, stray)))
    const cancel = (): void => giveUp.abort(new ToolCallError('cancelled', `${what} was cancelled.`))
    this.#limits.add(limit)
    signal?.addEventListener('abort', cancel, { once: true })
    if (signal?.aborted) cancel()
    try {
      giveUp.signal.throwIfAborted()
      const report =
        onProgress &&
        ((progress: SentProgress) => {
          limit.seen()
          if (!this.#reports.take()) return
          onProgress(readProgress(progress))
        })
      const plain = { signal: giveUp.signal, timeout: NO_LIMIT_MS }
      const how = report === undefined ? plain : { ...plain, onprogress: report }
      if (exchange === undefined) return readResult(await send(how, {}))
      const result = await this.#exchanges.during(exchange, () =>
        this.info.era === 'legacy'
          ? send(how, {})
          : sendInExchange(this.#name, exchange, limit, (more) => send({ ...how, allowInputRequired: true }, more)),
      )
      return readResult(result)
    } catch (error) {
      throw giveUp.signal.aborted ? giveUp.signal.reason : this.#explain(error)
    } finally {
      limit.end()
      this.#limits.delete(limit)
      signal?.removeEventListener('abort', cancel)
      if (!giveUp.signal.aborted && this.#spare.length < MOST_SPARE) this.#spare.push(giveUp)
    }
  }

  #silence(what: string, limitMs: number, strayBefore: number): ToolCallError {
    const strays = this.#transport.strayAnswers - strayBefore
    const hint = strays === 0 ? '' : ` It sent ${strays} answers to questions that nobody asked.`
    const message = `The MCP server ${this.#name} gave no sign of life for ${limitMs / 1000} s in ${what}, so it was called off.${hint} Whether it took effect is not known.`
    return new ToolCallError('timed_out', message)
  }

  #explain(error: unknown): unknown {
    if (!isClosed(error)) return error
    const words = this.log.lastWords
    const said = words === '' ? '' : ` Its last words:\n${words}`
    const message = `The connection to the MCP server ${this.#name} broke off before it answered. ${this.#closeReason ?? ''} Whether the call took effect is not known; the server is started again when it is next needed.${said}`
    return new ToolCallError('tool_failed', message, { cause: error })
  }
}

export type ListMethod = 'tools/list' | 'resources/list' | 'resources/templates/list' | 'prompts/list'

type Send = (how: SendOptions, more: Readonly<Record<string, unknown>>) => Promise<unknown>

/** More rounds of questions than any call can mean. */
const MOST_ROUNDS = 50

/** Sends again with answers, as long as the server has questions. What the other side takes to answer is not the server's time. */
async function sendInExchange(
  serverName: string,
  exchange: Exchange,
  limit: SignOfLife,
  send: (more: Readonly<Record<string, unknown>>) => Promise<unknown>,
): Promise<unknown> {
  const { meta } = exchange
  let result = await send({ _meta: meta })
  for (let round = 0; isRecord(result) && result.resultType === 'input_required'; round++) {
    if (round === MOST_ROUNDS) throw new Error(`the server had questions ${MOST_ROUNDS} times and no result`)
    const { inputRequests = {}, requestState } = result
    limit.pause()
    const inputResponses = await exchange
      .answer(saidBy(serverName, inputRequests as InputRequests))
      .finally(() => limit.goOn())
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
    ...(message !== undefined && { message: plainOutput(message) }),
  }
}

function readResult(value: unknown): RawResult {
  if (!isRecord(value)) throw new Error('the result is no object')
  const { [ENTRIES]: entries, ...result } = value
  return { entries: Array.isArray(entries) ? entries : [], result }
}
