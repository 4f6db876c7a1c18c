import type { Client, Transport } from '@modelcontextprotocol/client'
import type { ServerAccess } from '../../../mcp/auth/server-access.js'
import type { PinnableTool } from '../../../mcp/config/pinned-tool.js'
import type { ConfiguredServer } from '../../../mcp/config/server-config.js'
import { isObject, isRecord } from '../../../shared/is-record.js'
import { reasonOf } from '../../../shared/reason-of.js'
import { version } from '../../../shared/version.js'
import { ProcessTransport } from './process-transport.js'

/** What a server that answered said of itself. */
export interface ProbeReport {
  readonly serverName: string
  readonly serverVersion: string
  readonly protocolVersion: string
  readonly capabilities: readonly string[]
  readonly tools: readonly PinnableTool[]
  readonly refused: readonly { readonly name: string; readonly reason: string }[]
  /** The end of what it wrote to its error stream. */
  readonly log: string
}

export interface ProbeOptions {
  /** For servers on the network. */
  readonly access?: ServerAccess
  readonly signal: AbortSignal
  readonly cwd: string
}

/** A server that could not be reached. */
export class ProbeError extends Error {
  override readonly name = 'ProbeError'
  constructor(
    message: string,
    readonly log: string,
    readonly needsSignIn: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

const START_LIMIT_MS = 30_000
const LOG_CHARS = 4_000
const MAX_PAGES = 1_000
const ANY_RESULT = { '~standard': { version: 1 as const, vendor: 'haft', validate: (value: unknown) => ({ value }) } }

/** Connects to a server, asks for its tools and lets it go. */
export async function probeServer(server: ConfiguredServer, options: ProbeOptions): Promise<ProbeReport> {
  const limitMs = server.config.startTimeoutMs ?? START_LIMIT_MS
  const limit = AbortSignal.timeout(limitMs)
  const signal = AbortSignal.any([options.signal, limit])
  const log = { text: '' }
  const { Client } = await import('@modelcontextprotocol/client')
  const client = new Client({ name: 'haft', version }, { versionNegotiation: { mode: 'auto' } })
  try {
    const transport = await openTransport(server, options, log)
    await client.connect(transport, { signal, timeout: limitMs })
    const listed = client.getServerCapabilities()?.tools === undefined ? NO_TOOLS : await listTools(client, signal)
    return { ...aboutServer(client), ...listed, log: log.text }
  } catch (error) {
    const reason = limit.aborted ? `it did not answer within ${limitMs / 1000} s` : reasonOf(error)
    throw new ProbeError(reason, log.text, isUnauthorized(error), { cause: error })
  } finally {
    await client.close().catch(() => {})
  }
}

async function openTransport(
  { config }: ConfiguredServer,
  { access, cwd }: ProbeOptions,
  log: { text: string },
): Promise<Transport> {
  if (config.type === 'stdio') {
    const onLog = (text: string) => {
      log.text = `${log.text}${text}`.slice(-LOG_CHARS)
    }
    return new ProcessTransport(config, { cwd, onLog })
  }
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const Channel = config.type === 'sse' ? SSEClientTransport : StreamableHTTPClientTransport
  return new Channel(new URL(config.url), {
    requestInit: { headers: { ...config.headers } },
    ...(access !== undefined && { fetch: access.through(fetch) }),
  })
}

function aboutServer(client: Client) {
  const { name = '', version: serverVersion = '' } = client.getServerVersion() ?? {}
  return {
    serverName: name,
    serverVersion,
    protocolVersion: client.getNegotiatedProtocolVersion() ?? '',
    capabilities: Object.keys(client.getServerCapabilities() ?? {}).sort(),
  }
}

const NO_TOOLS = { tools: [], refused: [] }

/** Read entry by entry: one that is wrong must not lose the others. */
async function listTools(client: Client, signal: AbortSignal): Promise<Pick<ProbeReport, 'tools' | 'refused'>> {
  const tools: PinnableTool[] = []
  const refused: { name: string; reason: string }[] = []
  for (const entry of await listEntries(client, signal)) {
    const { name, inputSchema } = isRecord(entry) ? entry : {}
    if (typeof name !== 'string') refused.push({ name: '(no name)', reason: 'it has no name' })
    else if (!isRecord(inputSchema)) refused.push({ name, reason: 'it has no input schema' })
    else tools.push({ ...(entry as object), name })
  }
  return { tools, refused }
}

async function listEntries(client: Client, signal: AbortSignal): Promise<readonly unknown[]> {
  const all: unknown[] = []
  let cursor: unknown
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = typeof cursor === 'string' ? { cursor } : {}
    const result = await client.request({ method: 'tools/list', params }, ANY_RESULT, { signal })
    if (!isRecord(result)) break
    if (Array.isArray(result.tools)) all.push(...result.tools)
    cursor = result.nextCursor
    if (typeof cursor !== 'string') break
  }
  return all
}

function isUnauthorized(error: unknown): boolean {
  for (let each: unknown = error; isObject(each); each = each.cause) {
    const status = each.status ?? (isObject(each.data) ? each.data.status : undefined)
    if (each.name === 'UnauthorizedError' || each.name === 'InsufficientScopeError' || status === 401) return true
  }
  return false
}
