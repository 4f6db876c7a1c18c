import type { ToolEvent } from './events.js'
import type { ToolDefinition, ToolResultBlock, ToolUseBlock } from './messages.js'

/** The calls of one model message under way: the events as they happen, the results in the order of the calls. */
export interface ToolRun extends AsyncIterable<ToolEvent> {
  /** Rejects only where the message itself broke off. */
  readonly results: Promise<readonly ToolResultBlock[]>
  /** The user speaks up: calls that may be cancelled are. Tells whether the user's message has to wait for others. */
  interrupt(message?: string): { readonly mustWait: boolean }
}

/** Tools ready for any model loop. */
export interface ToolRuntime {
  definitions(): Promise<readonly ToolDefinition[]>
  /** Calls that come from a stream start as soon as each is complete. */
  run(calls: Iterable<ToolUseBlock> | AsyncIterable<ToolUseBlock>, options?: { readonly signal?: AbortSignal }): ToolRun
  dispose(): Promise<void>
}
