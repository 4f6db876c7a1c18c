import type { ModelPort } from '../../contract/ports/model.js'
import type { SupervisedProcesses } from '../../system/processes/supervised-processes.js'
import type { HookPayload } from '../config/hook-payload.js'

/**
 * Services of the host that hooks use, besides processes and the network. Hooks whose port is missing fail with an
 * explanation.
 */
export interface HookPorts {
  /** Must reject calls that deny rules forbid, and must not run hooks for this call. */
  readonly callMcpTool?: (request: McpToolRequest) => Promise<McpToolAnswer>
  readonly askModel?: ModelPort['complete']
}

/** A call of an MCP tool by a hook of type `mcp_tool`. */
export interface McpToolRequest {
  readonly server: string
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
}

/** The result of the tool. The structured content, or else the text, is the answer of the hook. */
export interface McpToolAnswer {
  readonly content: readonly unknown[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
}

/** The input of one hook run, for every hook type. */
export interface HookCall {
  readonly payload: HookPayload
  /** The payload as JSON, serialised once for all hooks of the event. */
  readonly json: string
  /** Aborted at the time limit of the hook, or when the caller cancels it. */
  readonly signal: AbortSignal
  /** Owns the process trees of commands; loaded when the first command runs. */
  readonly processes: () => Promise<SupervisedProcesses>
  readonly projectDir: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly headerVariable: (name: string) => string | undefined
  readonly ports: HookPorts
}
