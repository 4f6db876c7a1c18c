import { isRecord } from '../../shared/is-record.js'
import { quote } from '../../shared/quote.js'

/** One MCP server as Haft starts or reaches it: checked, with its variables filled in. */
export type McpServerConfig = StdioServerConfig | HttpServerConfig

interface CommonServerConfig {
  /** How long a call may go without a sign of life. */
  readonly timeoutMs?: number
  /** How long the server may take until it has answered its first request. */
  readonly startTimeoutMs?: number
  /** How many calls may run in this server at once. */
  readonly maxConcurrency?: number
  /** `false`: its tools keep their own names, without `mcp__server__` before them. */
  readonly prefix?: boolean
  readonly disabled?: boolean
}

export interface StdioServerConfig extends CommonServerConfig {
  readonly type: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
}

export interface HttpServerConfig extends CommonServerConfig {
  readonly type: 'http' | 'sse'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** A shell command whose output is a JSON object of further headers. */
  readonly headersHelper?: string
  readonly oauth?: OAuthServerConfig
}

/** What is known beforehand about signing in; without it everything is discovered. */
export interface OAuthServerConfig {
  readonly clientId?: string
  readonly clientSecret?: string
  readonly scope?: string
  /** The port that the redirect address was registered with; else any free one. */
  readonly callbackPort?: number
}

/** Where a server was configured, from the weakest source to the strongest. */
export const SERVER_SOURCES = ['user', 'project', 'local', 'library', 'command line', 'managed'] as const

export type ServerSource = (typeof SERVER_SOURCES)[number]

export interface ConfiguredServer {
  readonly name: string
  readonly config: McpServerConfig
  readonly source: ServerSource
  /** The project that brought it, by its real path; left out where the user did. */
  readonly project?: string
  /** Whether it may be started: a project's own server waits for its user's word. */
  readonly approved: boolean
}

/** A server as a program names it: a command to start, or an address. */
export type McpServerOption =
  | (Partial<StdioServerConfig> & Pick<StdioServerConfig, 'command'>)
  | (Partial<HttpServerConfig> & Pick<HttpServerConfig, 'url'>)

/** Servers that the code which uses the library names; who wrote that code has approved them. */
export function libraryServers(options: Readonly<Record<string, McpServerOption>>): readonly ConfiguredServer[] {
  return Object.entries(options).map(([name, option]) => ({
    name,
    config: whole(name, option),
    source: 'library',
    approved: true,
  }))
}

function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

function whole(name: string, option: McpServerOption): McpServerConfig {
  if (isRecord(option) && 'command' in option && typeof option.command === 'string') {
    return { args: [], env: {}, ...option, type: 'stdio' }
  }
  if (isRecord(option) && 'url' in option && isWebAddress(String(option.url))) {
    return { headers: {}, type: 'http', ...option }
  }
  throw new Error(`The MCP server ${quote(name)} needs a command to start, or the http or https url it listens at.`)
}
