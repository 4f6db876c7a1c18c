import type { Model, ModelUsage } from '../../contract/model/model.js'
import type { ThinkingConfig } from '../../contract/tool/context.js'
import type { Conversation } from '../conversation.js'
import type { SessionEvent } from '../session-event.js'
import type { SessionRuntime } from '../session-runtime.js'
import type { CountedMessages } from './counted-messages.js'
import type { RetryClock } from './retry-clock.js'

/** Keeps a conversation within the window of its model: clears old results, or puts a summary in place of what was said. */
export interface ContextKeeper {
  /** May rewrite the conversation, and tells whether it did. Does not throw for a summary that failed: it says so and gives false. */
  keepWithinWindow(at: WindowState): AsyncGenerator<SessionEvent, boolean>
}

export interface WindowState {
  readonly conversation: Conversation
  readonly runtime: SessionRuntime
  /** The one that the next request goes to. */
  readonly model: Model
  readonly system: readonly string[]
  /** What else the next request has: a summary asked for with the same is served by the provider's cache. */
  readonly thinking?: ThinkingConfig
  readonly maxOutputTokens?: number
  readonly conversationId?: string
  /** `too_long`: the provider refused the conversation as it is, so that a request without a rewrite is in vain. */
  readonly reason: 'before_request' | 'too_long'
  /** Undefined before the first answer, and after a rewrite. */
  readonly counted: CountedMessages | undefined
  readonly signal: AbortSignal
  /** How the loop waits before it asks again; as this machine does, if left out. */
  readonly retries?: RetryClock
  /** Told what a summary used, so that it is a part of the cost. */
  readonly onUsage: (usage: ModelUsage) => void
}
