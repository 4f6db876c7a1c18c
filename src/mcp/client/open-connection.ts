import type { Client } from '@modelcontextprotocol/client'
import { ToolCallError } from '../../contract/errors.js'
import { isDeeperThan } from '../../shared/json-size.js'
import { reasonOf } from '../../shared/reason-of.js'
import { delayInBackground } from '../../shared/waiting.js'
import type { McpServerConfig } from '../config/server-config.js'
import { McpConnection } from './connection.js'
import { findTransportRejection, isConnectionReset, needsAuthorization, toPlainReason } from './connection-failure.js'
import { OpenExchanges, runInExchange } from './exchange.js'
import { GuardedTransport } from './guarded-transport.js'
import { type OpenTransportOptions, openTransport } from './open-transport.js'
import { type ActivityTimeout, repeatIfTooMany } from './request-limits.js'
import type { ServerLog } from './server-log.js'
import { getClientCapabilities, registerHandlers, type ServerRequests } from './server-requests.js'

/** The lists that a server can announce changes of. */
export type ListKind = 'tools' | 'prompts' | 'resources'

export interface OpenOptions extends OpenTransportOptions {
  readonly name: string
  readonly config: McpServerConfig
  readonly requests: ServerRequests
  readonly version: string
  /** The protocol era of the last session. If it is known, no negotiation request is needed, which old servers do not support. */
  readonly era?: 'legacy' | 'modern' | undefined
  readonly onListChanged: (kind: ListKind) => void
  /** Called with advice for the user about a connection that works. */
  readonly onNotice?: (notice: string) => void
  readonly signal: AbortSignal
}

const DEFAULT_START_LIMIT_MS = 30_000
/**
 * The share of the start limit that is used for protocol negotiation. The rest is for a second attempt without it, because
 * some servers never answer the negotiation.
 */
const PROBE_TIME_SHARE = 0.6

/** Thrown if the server could not be started or contacted. */
export class UnreachableError extends ToolCallError {
  constructor(
    name: string,
    /** The message without the server's output. */
    readonly reason: string,
    { recentOutput, cause }: { readonly recentOutput: string; readonly cause: unknown },
  ) {
    const output = recentOutput === '' ? '' : ` Its last output:\n${recentOutput}`
    super('unavailable', `The MCP server ${name} could not be reached: ${reason}${output}`, { cause })
  }
}

/** Thrown if the server requires the user to sign in. */
export class AuthorizationNeededError extends Error {
  override readonly name = 'AuthorizationNeededError'
}

/**
 * Connects to a server of any protocol revision. A server that exits during negotiation is started again without
 * negotiation.
 */
export function openConnection(options: OpenOptions): Promise<McpConnection> {
  // A connection is shared, so it must not inherit the exchange during which it is opened.
  return runInExchange(undefined, () => openInAnyRevision(options))
}

async function openInAnyRevision(options: OpenOptions): Promise<McpConnection> {
  const limit = AbortSignal.timeout(getStartLimit(options.config))
  const signal = AbortSignal.any([options.signal, limit])
  try {
    return await negotiate(options, signal).catch((error) => connectOverSse(options, error, signal))
  } catch (error) {
    throw explainFailure(options, error, limit)
  }
}

/** How long a server may take until its tools are listed. */
export function getStartLimit(config: McpServerConfig): number {
  return config.startTimeoutMs ?? DEFAULT_START_LIMIT_MS
}

/** The first revision of the protocol without the `initialize` handshake. */
const FIRST_MODERN_REVISION = '2026-07-28'

type NegotiationMode = 'auto' | 'legacy' | { readonly pin: string }

async function negotiate(options: OpenOptions, signal: AbortSignal): Promise<McpConnection> {
  const { protocolVersion } = options.config
  if (protocolVersion !== undefined) {
    const isModern = protocolVersion >= FIRST_MODERN_REVISION
    return connect(options, isModern ? { pin: protocolVersion } : 'legacy', signal)
  }
  if (options.era === 'legacy') {
    try {
      return await connect(options, 'legacy', signal)
    } catch (error) {
      if (signal.aborted || needsAuthorization(error)) throw error
      return connect(options, 'auto', signal)
    }
  }
  try {
    return await connect(options, 'auto', signal)
  } catch (error) {
    if (signal.aborted || !hasExitedDuringNegotiation(error)) throw error
    return connect(options, 'legacy', signal)
  }
}

/** Connects over the older HTTP transport if the server rejects streamable HTTP as a whole. Otherwise throws the given error. */
async function connectOverSse(options: OpenOptions, error: unknown, signal: AbortSignal): Promise<McpConnection> {
  const { config, name, onNotice } = options
  const status = findTransportRejection(error)
  if (config.type !== 'http' || status === undefined || signal.aborted) throw error
  try {
    const connection = await connect({ ...options, config: { ...config, type: 'sse' } }, 'legacy', signal)
    onNotice?.(
      `The MCP server ${name} answers streamable HTTP with HTTP ${status}, so SSE is used. Set "type": "sse" in its entry.`,
    )
    return connection
  } catch (sseError) {
    if (needsAuthorization(sseError)) throw sseError
    const reason = `${toPlainReason(error)}. SSE failed, too (${toPlainReason(sseError)}). Check the URL: it is often the address of the server followed by /mcp or /sse`
    throw new Error(reason, { cause: sseError })
  }
}

/** Connects. Starting a session has no effect, so it is repeated once if the connection was reset. */
function connect(options: OpenOptions, mode: NegotiationMode, signal: AbortSignal): Promise<McpConnection> {
  const connectPatiently = () => repeatIfTooMany(() => connectOnce(options, mode, signal), signal)
  return connectPatiently().catch((error) => {
    if (signal.aborted || !isConnectionReset(error)) throw error
    return connectPatiently()
  })
}

async function connectOnce(options: OpenOptions, mode: NegotiationMode, signal: AbortSignal): Promise<McpConnection> {
  signal.throwIfAborted()
  const { name, requests, log, version, config } = options
  const { Client } = await import('@modelcontextprotocol/client')
  const timeouts = new Set<ActivityTimeout>()
  const client = new Client(
    { name: 'haft', version },
    {
      capabilities: getClientCapabilities(requests),
      versionNegotiation: { mode, probe: { timeoutMs: getStartLimit(config) * PROBE_TIME_SHARE } },
      ...(config.protocolVersion !== undefined && { supportedProtocolVersions: [config.protocolVersion] }),
      listChanged: createListHandlers(options),
      // Disables validation in the SDK, because data is validated where it is used.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  )
  const exchanges = new OpenExchanges()
  const maxQuestions = requests.forward === undefined ? MAX_QUESTIONS : MAX_FORWARDED_QUESTIONS
  registerHandlers(client, name, addLogging(requests, log), pauseTimeouts(timeouts, maxQuestions), exchanges)
  const transport = new GuardedTransport(await openTransport(config, options))
  let lastError: string | undefined
  client.onerror = ({ message }) => {
    lastError = message
  }
  const stop = (): void => void transport.close()
  signal.addEventListener('abort', stop, { once: true })
  try {
    signal.throwIfAborted()
    await client.connect(transport, { timeout: getStartLimit(config), signal })
    const connection = new McpConnection({ name, client, transport, timeouts, log, exchanges })
    void keepListening(
      client,
      () => client.transport === undefined,
      () => options.onListChanged('tools'),
    )
    return connection
  } catch (error) {
    await transport.close().catch(() => {})
    if (lastError !== undefined && !reasonOf(error).includes(lastError)) {
      throw new Error(`${reasonOf(error)}. ${lastError}`, { cause: error })
    }
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Extends the handlers so that log notifications are also written to the log of the server. */
function addLogging(requests: ServerRequests, log: ServerLog): ServerRequests {
  return {
    ...requests,
    onLog(entry, exchange) {
      void log.write(`${entry.level}: ${toLogText(entry.data)}\n`)
      requests.onLog?.(entry, exchange)
    },
  }
}

function toLogText(data: unknown): string {
  if (typeof data === 'string') return data
  return isDeeperThan(data, MAX_LOG_DEPTH) ? '(nested too deep)' : (JSON.stringify(data) ?? '')
}

const MAX_LOG_DEPTH = 100

function createListHandlers({ onListChanged }: OpenOptions) {
  const createHandler = (kind: ListKind) => ({
    autoRefresh: false,
    // The transport collects announcements.
    debounceMs: 0,
    onChanged: () => onListChanged(kind),
  })
  return { tools: createHandler('tools'), prompts: createHandler('prompts'), resources: createHandler('resources') }
}

/** The maximum number of requests of one server that may wait for a person or a model. */
const MAX_QUESTIONS = 5
/** The same for requests that clients of a gateway answer. Clients may have many calls at once. */
const MAX_FORWARDED_QUESTIONS = 200

/** Pauses the timeouts of our requests while a person or a model answers the server. */
function pauseTimeouts(timeouts: ReadonlySet<ActivityTimeout>, maxQuestions: number) {
  let openQuestions = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (openQuestions >= maxQuestions) throw new Error('Too many open requests: wait for the answers to earlier ones.')
    openQuestions++
    for (const limit of timeouts) limit.pause()
    try {
      return await work()
    } finally {
      openQuestions--
      if (openQuestions === 0) for (const limit of timeouts) limit.resume()
    }
  }
}

function hasExitedDuringNegotiation(error: unknown): boolean {
  return [error, (error as { cause?: unknown }).cause].some(
    (each) => (each as { code?: unknown } | undefined)?.code === 'ERA_NEGOTIATION_FAILED',
  )
}

function explainFailure(options: OpenOptions, error: unknown, limit: AbortSignal): Error {
  const { name, log, signal } = options
  if (signal.aborted) return new ToolCallError('cancelled', `Connecting to the MCP server ${name} was cancelled.`)
  if (needsAuthorization(error)) {
    return new AuthorizationNeededError(`The MCP server ${name} requires sign-in. Run: haft mcp test ${name}`, {
      cause: error,
    })
  }
  const seconds = getStartLimit(options.config) / 1000
  const reason = limit.aborted
    ? `it did not answer within ${seconds} s.`
    : `${toPlainReason(error)}.`.replace(/\.+$/, '.')
  return new UnreachableError(name, reason, { recentOutput: log.recentOutput, cause: error })
}

const FIRST_DELAY_MS = 1_000
const MAX_DELAY_MS = 60_000

/** Reopens the notification stream of a server whenever it ends, unless we closed it. */
async function keepListening(client: Client, isClosed: () => boolean, onReopened: () => void): Promise<void> {
  let subscription = client.autoOpenedSubscription
  let delay = FIRST_DELAY_MS
  while (subscription !== undefined && (await subscription.closed) !== 'local') {
    await delayInBackground(delay)
    if (isClosed()) return
    delay = Math.min(delay * 2, MAX_DELAY_MS)
    try {
      subscription = await client.listen(subscription.honoredFilter)
      delay = FIRST_DELAY_MS
      // Changes were not announced while the stream was closed.
      onReopened()
    } catch {
      // The subscription is still closed, so the loop tries again after a longer delay.
    }
  }
}
