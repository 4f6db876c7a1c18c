import type { Transport } from '@modelcontextprotocol/client'
import { isRecord } from '../../shared/is-record.js'
import { quote } from '../../shared/quote.js'

/** The validated configuration of one MCP server, with its variables expanded. */
export type McpServerConfig = StdioServerConfig | HttpServerConfig | ProgramServerConfig

interface CommonServerConfig {
  /** How long a call may take without any progress, in milliseconds. */
  readonly timeoutMs?: number
  /** How long the server may take until its tools are listed, in milliseconds. */
  readonly startTimeoutMs?: number
  /** Maximum number of concurrent calls to this server. */
  readonly maxConcurrency?: number
  /** If `false`, tools with unique names keep them, without the prefix `mcp__server__`. */
  readonly prefix?: boolean
  readonly disabled?: boolean
  /** The protocol revision to use, such as `2025-06-18`. Defaults to the latest one that the server supports. */
  readonly protocolVersion?: string
  /** If `false`, a tool with an output schema may return a result without structured content. */
  readonly requireStructuredContent?: boolean
}

/** A server that is started as a process and uses standard input and output. */
export interface StdioServerConfig extends CommonServerConfig {
  readonly type: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** A server that is contacted over streamable HTTP or SSE. */
export interface HttpServerConfig extends CommonServerConfig {
  readonly type: 'http' | 'sse'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** A shell command that prints a JSON object with additional headers. */
  readonly headersHelper?: string
  readonly oauth?: OAuthServerConfig
}

/** A server in the program that runs the session, such as a server of the Agent SDK. Its definitions are never stored. */
interface ProgramServerConfig extends CommonServerConfig {
  readonly type: 'sdk'
  /** Opens a new connection to the server. */
  readonly openTransport: () => Transport
}

/** OAuth settings. Anything omitted is discovered from the server. */
export interface OAuthServerConfig {
  readonly clientId?: string
  readonly clientSecret?: string
  /** The issuer that the client is registered with. No other one receives the secret. */
  readonly issuer?: string
  readonly scope?: string
  /** The port of the registered redirect URL. Defaults to any free port. */
  readonly callbackPort?: number
}

/** The sources of server configurations, from lowest to highest precedence. */
export const SERVER_SOURCES = ['user', 'project', 'local', 'library', 'command line', 'managed'] as const

export type ServerSource = (typeof SERVER_SOURCES)[number]

/** A server with its configuration and the source of that configuration. */
export interface ConfiguredServer {
  readonly name: string
  readonly config: McpServerConfig
  readonly source: ServerSource
  /** The real path of the project if the project or local settings configure the server. */
  readonly project?: string
  /** Whether the server may be started. Servers from project and local settings need the user's approval. */
  readonly approved: boolean
}

/** A server as configured by a program: a command to start, or a URL. */
export type McpServerOption =
  | (Partial<StdioServerConfig> & Pick<StdioServerConfig, 'command'>)
  | (Partial<HttpServerConfig> & Pick<HttpServerConfig, 'url'>)

/** Converts servers that are configured in code. They count as approved by the author of that code. */
export function configureLibraryServers(
  options: Readonly<Record<string, McpServerOption>>,
): readonly ConfiguredServer[] {
  return Object.entries(options).map(([name, option]) => ({
    name,
    config: completeConfig(name, option),
    source: 'library',
    approved: true,
  }))
}

function isHttpUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

function completeConfig(name: string, option: McpServerOption): McpServerConfig {
  if (isRecord(option) && 'command' in option && typeof option.command === 'string') {
    return { args: [], env: {}, ...option, type: 'stdio' }
  }
  if (isRecord(option) && 'url' in option && isHttpUrl(String(option.url))) {
    return { headers: {}, type: 'http', ...option }
  }
  throw new Error(`The MCP server ${quote(name)} needs a command, or an http or https url.`)
}
