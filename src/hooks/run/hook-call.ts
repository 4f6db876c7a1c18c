import type { ModelPort } from '../../contract/ports/model.js'
import type { SupervisedProcesses } from '../../system/processes/supervised-processes.js'
import type { HookPayload } from './hook-payload.js'

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

/** How a hook of any kind ended, before anybody has judged what it said. */
export type HookEnd =
  | { readonly type: 'said'; readonly text: string }
  | { readonly type: 'answered'; readonly json: Readonly<Record<string, unknown>> }
  | { readonly type: 'blocked'; readonly message: string }
  | { readonly type: 'failed'; readonly message: string }
  /** Its time limit or its caller ended it. */
  | { readonly type: 'stopped' }

/** What every kind of hook gets for one run. */
export interface HookCall {
  readonly payload: HookPayload
  /** The payload as JSON, made once for all hooks of the event. */
  readonly json: string
  /** Aborts at the time limit of the hook, or when its caller calls it off. */
  readonly signal: AbortSignal
  /** Owns the process trees of commands; loaded when the first command runs. */
  readonly processes: () => Promise<SupervisedProcesses>
  readonly projectDir: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly ports: HookPorts
}
