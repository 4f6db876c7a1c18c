import type { FetchLike, Transport } from '@modelcontextprotocol/client'
import type { ServicePort } from '../../contract/service-process.js'
import type { McpServerConfig } from '../config/server-config.js'
import { boundedFetch } from './bounded-fetch.js'
import type { ServerLog } from './server-log.js'
import { StdioTransport } from './stdio-transport.js'

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
