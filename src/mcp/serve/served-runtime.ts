import type { ToolCallError } from '../../contract/errors.js'
import type { ToolDefinition, ToolResultBlock, ToolUseBlock } from '../../contract/messages.js'
import type { Tool, Tools } from '../../contract/tool.js'

export interface ServedCallOptions {
  readonly signal: AbortSignal
  readonly onProgress?: (progress: unknown) => void
}

export interface ServedOutcome {
  /** As a model would get it: within its budget, with what hooks had to say. */
  readonly block: ToolResultBlock
  readonly error?: ToolCallError
}

/** The pool with the whole road of a call around it, as far as serving it needs that. */
export interface ServedRuntime {
  /** All that can be called. */
  readonly pool: Tools
  /** Those of the whole pool. */
  definitions(): Promise<readonly ToolDefinition[]>
  /** Whether a tool is told of by name alone. */
  isDeferred(tool: Tool): boolean
  /** Takes note that clients know the schemas of these. */
  tellOf(names: readonly string[]): void
  /** What is told by name alone, in a text; empty where there is nothing. */
  announcement(): Promise<string>
  call(toolUse: ToolUseBlock, options: ServedCallOptions): Promise<ServedOutcome>
}
