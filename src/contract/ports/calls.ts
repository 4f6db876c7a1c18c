import type { ToolCallErrorCode } from '../errors.js'
import type { McpMeta, ToolResultBlock } from '../messages.js'
import type { JsonSchema } from '../schema.js'

/**
 * Lets the tool of a running call make calls of other tools. Each nested call takes every step of a call: hooks,
 * permission, schedule, checkpoint. It has its own id, is shown below the outer call, and is cancelled with it.
 */
export interface CallsPort {
  /** Returns the tools that can be called now, including those that the model finds only by a search or does not get at all. */
  list(): readonly CallableTool[]
  /** Returns the definition of a tool, as a model would get it; undefined if there is no such tool. */
  describe(name: string): Promise<CallableDefinition | undefined>
  /** Returns the names of the tools that match, best first. */
  search(query: string, options: { readonly maxResults: number }): Promise<readonly string[]>
  /** Makes a call and waits for its outcome. Never rejects. Calls run concurrently as far as their resources allow. */
  call(name: string, input: unknown, options?: NestedCallOptions): Promise<NestedOutcome>
}

/** What the maker of a nested call wants to know about it. */
export interface NestedCallOptions {
  /** Called when the call is permitted, right before its tool runs. The tool waits for it, and does not run if it rejects. */
  readonly onToolStart?: ((facts: { readonly isReadOnly: boolean }) => Promise<void>) | undefined
}

/** A tool that can be called. */
export interface CallableTool {
  readonly name: string
  /** A few words for a list of tools. */
  readonly hint?: string
  readonly isMcp: boolean
}

/** What a caller has to know about a tool. */
export interface CallableDefinition extends CallableTool {
  readonly description: string
  readonly inputSchema: JsonSchema
  /** The schema of the data that a call returns, if the tool declares one. */
  readonly outputSchema?: JsonSchema
}

/** The outcome of a nested call. */
export interface NestedOutcome {
  readonly toolUseId: string
  /** The block that a model would get. */
  readonly result: ToolResultBlock
  /** The data that the tool returned, if it succeeded. */
  readonly data?: unknown
  readonly errorCode?: ToolCallErrorCode
  /** The tool's own number for why it refused the input. */
  readonly toolErrorCode?: number
  /** What an MCP server sent beside the content. */
  readonly mcpMeta?: McpMeta
}
