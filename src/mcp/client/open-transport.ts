import type { FetchLike, Transport } from '@modelcontextprotocol/client'
import type { ServicePort } from '../../contract/host/service-process.js'
import type { McpServerConfig } from '../config/server-config.js'
import type { ServerLog } from './server-log.js'
import { MAX_MESSAGE_BYTES, StdioTransport } from './stdio-transport.js'

/** How a server on the network lets us in. */
export interface HttpAccess {
  /** A fetch whose requests carry what the server wants to see; an answer 401 that comes through calls for a person. */
  through(fetch: FetchLike): FetchLike
}

export interface TransportSources {
  readonly services: ServicePort
  readonly log: ServerLog
  readonly access?: HttpAccess | undefined
}

/** The channel to a server, not yet started. */
export async function openTransport(config: McpServerConfig, sources: TransportSources): Promise<Transport> {
  if (config.type === 'stdio') {
    const { command, args, env, cwd } = config
    const process = await sources.services.start({ command, args, env, cwd })
    sources.log.follow(process.stderr)
    return new StdioTransport(process)
  }
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const { access } = sources
  const Channel = config.type === 'sse' ? SSEClientTransport : StreamableHTTPClientTransport
  return new Channel(new URL(config.url), {
    fetch: access?.through(boundedFetch) ?? boundedFetch,
    requestInit: { headers: { ...config.headers } },
  })
}

const NEWLINE = 10

/** A fetch whose answers end in an error where one message of them is larger than any may be. */
const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  if (response.body === null) return response
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  const body = response.body.pipeThrough(limit(isStream))
  const { status, statusText, headers } = response
  const bounded = new Response(body, { status, statusText, headers })
  // A response made here knows neither where it came from nor whether it was led elsewhere.
  Object.defineProperties(bounded, { url: { value: response.url }, redirected: { value: response.redirected } })
  return bounded
}

/** A stream of events may be of any length as long as its lines are not. */
function limit(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
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
