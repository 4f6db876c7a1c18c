/** How one MCP server is reached. */
export type McpServerConfig = StdioServerConfig | HttpServerConfig

interface Common {
  /** How long a call may go without a sign of life. */
  readonly timeoutMs?: number
  /** How long the server may take until it answers its first request. */
  readonly startTimeoutMs?: number
  readonly maxConcurrency?: number
  /** False: its tools go by their own names where those are unique. */
  readonly prefix?: boolean
  readonly disabled?: boolean
}

export interface StdioServerConfig extends Common {
  readonly type: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
}

export interface HttpServerConfig extends Common {
  readonly type: 'http' | 'sse'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly headersHelper?: string
  readonly oauth?: Readonly<Record<string, unknown>>
}

export interface ConfiguredServer {
  readonly name: string
  readonly config: McpServerConfig
  readonly source: 'project' | 'local' | 'user' | 'managed' | 'command line' | 'library'
  /** Whether a person, or who wrote the code, lets it start. */
  readonly approved: boolean
}
