/** A resource that an MCP server lists. */
export interface McpResource {
  readonly server: string
  readonly uri: string
  readonly name: string
  readonly mimeType?: string
  readonly description?: string
}

/** The content of an MCP resource: text, or base64 in `blob`. */
export interface McpResourceContent {
  readonly uri: string
  readonly mimeType?: string
  readonly text?: string
  readonly blob?: string
}

/** Calls tools and reads resources of the connected MCP servers. */
export interface McpPort {
  callTool(
    server: string,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: {
      readonly signal: AbortSignal
      readonly onProgress?: (progress: {
        readonly progress: number
        readonly total?: number
        readonly message?: string
      }) => void
    },
  ): Promise<{
    readonly content: readonly unknown[]
    readonly structuredContent?: unknown
    readonly isError?: boolean
    readonly _meta?: unknown
  }>
  /** Whether an ask rule covers this server. */
  mustAskAbout?(server: string): boolean
  listResources(server?: string): Promise<readonly McpResource[]>
  readResource(server: string, uri: string): Promise<readonly McpResourceContent[]>
}
