import type { FetchLike, Transport } from '@modelcontextprotocol/client'
import type { ServicePort } from '../../contract/host/service-process.js'
import type { McpServerConfig } from '../config/server-config.js'
import { TooManyRequestsError } from './connection-failure.js'
import type { ServerLog } from './server-log.js'
import { MAX_MESSAGE_BYTES, StdioTransport } from './stdio-transport.js'

/** Authorises requests to an HTTP server. */
export interface HttpAccess {
  /**
   * Wraps `fetch` so that requests contain credentials. A 401 response that is passed on means that the user must sign
   * in.
   */
  wrapFetch(fetch: FetchLike): FetchLike
}

export interface OpenTransportOptions {
  readonly services: ServicePort
  readonly log: ServerLog
  readonly access?: HttpAccess | undefined
}

/** Creates the transport to a server. The process of a stdio server is started; an HTTP server is not contacted yet. */
export async function openTransport(config: McpServerConfig, options: OpenTransportOptions): Promise<Transport> {
  if (config.type === 'sdk') return config.openTransport()
  if (config.type === 'stdio') {
    const { command, args, env, cwd } = config
    const process = await options.services.start({ command, args, env, cwd })
    options.log.follow(process.stderr)
    return new StdioTransport(process)
  }
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const { access } = options
  const TransportClass = config.type === 'sse' ? SSEClientTransport : StreamableHTTPClientTransport
  return new TransportClass(new URL(config.url), {
    fetch: access?.wrapFetch(fetchBounded) ?? fetchBounded,
    requestInit: { headers: { ...config.headers } },
  })
}

const NEWLINE = 10

const HTTP_TOO_MANY_REQUESTS = 429

/**
 * A `fetch` whose response body fails if one message exceeds the size limit. It throws for too many requests, because the SDK
 * does not pass on how long to wait.
 */
const fetchBounded: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  if (response.status === HTTP_TOO_MANY_REQUESTS) {
    await response.body?.cancel()
    throw new TooManyRequestsError(readRetryAfter(response.headers.get('retry-after')))
  }
  if (response.body === null) return response
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  const body = response.body.pipeThrough(limitMessageSize(isStream))
  const { status, statusText, headers } = response
  const boundedResponse = new Response(body, { status, statusText, headers })
  // A constructed response lacks these two properties.
  Object.defineProperties(boundedResponse, { url: { value: response.url }, redirected: { value: response.redirected } })
  return boundedResponse
}

/** Reads the header `retry-after`: a number of seconds, or a date. */
function readRetryAfter(value: string | null): number | undefined {
  if (value === null || value.trim() === '') return undefined
  const seconds = Number(value)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

/** Limits the size of messages. An event stream may have any length, but its lines are limited. */
function limitMessageSize(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      const newline = isStream ? chunk.lastIndexOf(NEWLINE) : -1
      bytes = newline === -1 ? bytes + chunk.length : chunk.length - newline
      if (bytes > MAX_MESSAGE_BYTES) {
        controller.error(new Error(`The server sent a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB.`))
      } else controller.enqueue(chunk)
    },
  })
}
