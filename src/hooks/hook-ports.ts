import type { ModelPort } from '../contract/ports/model.js'

/** What hooks need of the host beside processes and the network; a kind whose port is missing fails and says so. */
export interface HookPorts {
  /** Must obey deny rules, by rejecting, and must run no hooks for this call. */
  readonly callMcpTool?: (request: McpToolRequest) => Promise<McpToolAnswer>
  readonly askModel?: ModelPort['complete']
}

export interface McpToolRequest {
  readonly server: string
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
}

export interface McpToolAnswer {
  readonly content: readonly unknown[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
}
