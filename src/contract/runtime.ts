import type { ToolEvent } from './events.js'
import type { ToolDefinition, ToolResultBlock, ToolUseBlock } from './messages.js'

/** The calls of one model message under way: the events as they happen, the results in the order of the calls. */
export interface ToolRun extends AsyncIterable<ToolEvent> {
  readonly results: Promise<readonly ToolResultBlock[]>
}

/** Tools ready for any model loop. */
export interface ToolRuntime {
  definitions(): Promise<readonly ToolDefinition[]>
  run(calls: readonly ToolUseBlock[], options?: { readonly signal?: AbortSignal }): ToolRun
  dispose(): Promise<void>
}
