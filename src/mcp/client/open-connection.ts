import type { Client } from '@modelcontextprotocol/client'
import { ToolCallError } from '../../contract/errors.js'
import { isDeeperThan } from '../../shared/is-deeper-than.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { McpServerConfig } from '../config/server-config.js'
import { McpConnection } from './connection.js'
import { needsAuthorization, plainReason } from './connection-failure.js'
import { inExchange, OpenExchanges } from './exchange.js'
import { GuardedTransport } from './guarded-transport.js'
import { openTransport, type TransportSources } from './open-transport.js'
import type { SignOfLife } from './request-limits.js'
import type { ServerLog } from './server-log.js'
import { capabilitiesFor, offerToServer, type ServerRequests } from './server-requests.js'

type ListKind = 'tools' | 'prompts' | 'resources'

export interface OpenOptions extends TransportSources {
  readonly name: string
  readonly config: McpServerConfig
  readonly requests: ServerRequests
  readonly version: string
  /** Known from last time: saves a question that old servers do not understand. */
  readonly era?: 'legacy' | 'modern' | undefined
  readonly onListChanged: (kind: ListKind) => void
  readonly signal: AbortSignal
}

const DEFAULT_START_LIMIT_MS = 30_000
/** The part of the start limit for the question which revision the server speaks; the rest is for servers that leave it unanswered. */
const PROBE_PART = 0.6
const LIST_CHANGE_DELAY_MS = 20

/** Nobody answers there. */
export class UnreachableError extends ToolCallError {
  constructor(
    name: string,
    /** The message without the server's last words. */
    readonly reason: string,
    { lastWords, cause }: { readonly lastWords: string; readonly cause: unknown },
  ) {
    const said = lastWords === '' ? '' : ` Its last words:\n${lastWords}`
    super('unavailable', `The MCP server ${name} could not be reached: ${reason}${said}`, { cause })
  }
}

/** The server wants a person to log in. */
export class AuthorizationNeededError extends Error {
  override readonly name = 'AuthorizationNeededError'
}

/** Connects to a server in whatever revision it speaks. A server that ends when it is asked is started again and not asked. */
export function openConnection(options: OpenOptions): Promise<McpConnection> {
  // It is there for others, too: what comes over it is not part of what it was opened for.
  return inExchange(undefined, () => openInAnyRevision(options))
}

async function openInAnyRevision(options: OpenOptions): Promise<McpConnection> {
  const limit = AbortSignal.timeout(startLimit(options))
  const signal = AbortSignal.any([options.signal, limit])
  try {
    if (options.era === 'legacy') {
      try {
        return await connect(options, 'legacy', signal)
      } catch (error) {
        if (signal.aborted || needsAuthorization(error)) throw error
        return await connect(options, 'auto', signal)
      }
    }
    try {
      return await connect(options, 'auto', signal)
    } catch (error) {
      if (signal.aborted || !endedWhenAsked(error)) throw error
      return await connect(options, 'legacy', signal)
    }
  } catch (error) {
    throw explain(options, error, limit)
  }
}

function startLimit({ config }: OpenOptions): number {
  return config.startTimeoutMs ?? DEFAULT_START_LIMIT_MS
}

async function connect(options: OpenOptions, mode: 'auto' | 'legacy', signal: AbortSignal): Promise<McpConnection> {
  signal.throwIfAborted()
  const { name, requests, log, version } = options
  const { Client } = await import('@modelcontextprotocol/client')
  const limits = new Set<SignOfLife>()
  const client = new Client(
    { name: 'haft', version },
    {
      capabilities: capabilitiesFor(requests),
      versionNegotiation: { mode, probe: { timeoutMs: startLimit(options) * PROBE_PART } },
      listChanged: listChanges(options),
      // A schema is never compiled there: what servers send is checked where it is used.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  )
  const exchanges = new OpenExchanges()
  offerToServer(client, name, logged(requests, log), waitingFor(limits), exchanges)
  const transport = new GuardedTransport(await openTransport(options.config, options))
  let lastError: string | undefined
  client.onerror = ({ message }) => {
    lastError = message
  }
  const stop = (): void => void transport.close()
  signal.addEventListener('abort', stop, { once: true })
  try {
    signal.throwIfAborted()
    await client.connect(transport, { timeout: startLimit(options), signal })
    const connection = new McpConnection({ name, client, transport, limits, log, exchanges })
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

/** What a server logs by message goes where its other output goes, and to whoever listens. */
function logged(requests: ServerRequests, log: ServerLog): ServerRequests {
  return {
    ...requests,
    onLog(entry, exchange) {
      void log.write(`${entry.level}: ${roughText(entry.data)}\n`)
      requests.onLog?.(entry, exchange)
    },
  }
}

function roughText(data: unknown): string {
  if (typeof data === 'string') return data
  return isDeeperThan(data, MAX_LOG_DEPTH) ? '(nested too deep)' : (JSON.stringify(data) ?? '')
}

const MAX_LOG_DEPTH = 100

function listChanges({ onListChanged }: OpenOptions) {
  const changed = (kind: ListKind) => ({
    autoRefresh: false,
    debounceMs: LIST_CHANGE_DELAY_MS,
    onChanged: () => onListChanged(kind),
  })
  return { tools: changed('tools'), prompts: changed('prompts'), resources: changed('resources') }
}

/** A server that asks without end would bury the person. */
const MOST_QUESTIONS = 5

/** While a person or a model answers the server, no request of ours runs out of time. */
function waitingFor(limits: ReadonlySet<SignOfLife>) {
  let open = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (open >= MOST_QUESTIONS) throw new Error('Too many questions at once: wait for the answers to the others.')
    open++
    for (const limit of limits) limit.pause()
    try {
      return await work()
    } finally {
      open--
      if (open === 0) for (const limit of limits) limit.goOn()
    }
  }
}

function endedWhenAsked(error: unknown): boolean {
  return [error, (error as { cause?: unknown }).cause].some(
    (each) => (each as { code?: unknown } | undefined)?.code === 'ERA_NEGOTIATION_FAILED',
  )
}

function explain(options: OpenOptions, error: unknown, limit: AbortSignal): Error {
  const { name, log, signal } = options
  if (signal.aborted) return new ToolCallError('cancelled', `Connecting to the MCP server ${name} was called off.`)
  if (needsAuthorization(error)) {
    return new AuthorizationNeededError(`The MCP server ${name} needs a login: haft mcp test ${name}`, { cause: error })
  }
  const seconds = startLimit(options) / 1000
  const reason = limit.aborted
    ? `it did not answer within ${seconds} s.`
    : `${plainReason(error)}.`.replace(/\.+$/, '.')
  return new UnreachableError(name, reason, { lastWords: log.lastWords, cause: error })
}

const FIRST_DELAY_MS = 1_000
const MAX_DELAY_MS = 60_000

/** Opens the stream by which a server tells of changes again, whenever it ends without having been closed from here. */
async function keepListening(client: Client, isOver: () => boolean, onReopened: () => void): Promise<void> {
  let subscription = client.autoOpenedSubscription
  let delay = FIRST_DELAY_MS
  while (subscription !== undefined && (await subscription.closed) !== 'local') {
    await new Promise((resolve) => setTimeout(resolve, delay).unref())
    if (isOver()) return
    delay = Math.min(delay * 2, MAX_DELAY_MS)
    try {
      subscription = await client.listen(subscription.honoredFilter)
      delay = FIRST_DELAY_MS
      // What changed meanwhile was told to nobody.
      onReopened()
    } catch {
      // The ended one is found ended again, and the next try is later.
    }
  }
}
