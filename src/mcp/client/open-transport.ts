import type { FetchLike, OAuthClientProvider, Transport } from '@modelcontextprotocol/client'
import type { ServicePort } from '../../contract/service-process.js'
import type { McpServerConfig } from '../config/server-config.js'
import { boundedFetch } from './bounded-fetch.js'
import type { ServerLog } from './server-log.js'
import { StdioTransport } from './stdio-transport.js'

/** What is sent along to a server on the network. */
export interface HttpAccess {
  readonly authProvider?: OAuthClientProvider
  /** Beside the headers of the configuration, which they override; asked for each connection. */
  headers?(): Promise<Readonly<Record<string, string>>>
  /** What each request goes through, which lets it in. */
  through?(fetch: FetchLike): FetchLike
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
  const headers = { ...config.headers, ...(await access?.headers?.()) }
  const Channel = config.type === 'sse' ? SSEClientTransport : StreamableHTTPClientTransport
  return new Channel(new URL(config.url), {
    fetch: access?.through?.(boundedFetch) ?? boundedFetch,
    requestInit: { headers },
    ...(access?.authProvider !== undefined && { authProvider: access.authProvider }),
  })
}
