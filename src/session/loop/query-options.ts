import type { AttachmentMessage, Message, ToolResultBlock, ToolUseBlock } from '../../contract/messages.js'
import type { Model, ModelUsage } from '../../contract/model/model.js'
import type { OpenRun } from '../../contract/runtime.js'
import type { ThinkingConfig } from '../../contract/tool/context.js'
import type { Conversation } from '../conversation/conversation.js'
import type { CountedMessages, EmitEvent, RewriteCause, SessionEvent } from '../conversation/session-event.js'
import type { SessionRuntime } from '../conversation/session-runtime.js'
import type { Spending } from '../conversation/spending.js'
import type { RetryClock } from './retry-policy.js'

/** Options of `query`. */
export interface QueryOptions {
  readonly runtime: SessionRuntime
  readonly model: Model
  /** Used for the rest of the query if the model is overloaded several times in a row, or if all retries fail. */
  readonly fallbackModel?: Model
  /** The parts of the system prompt. Their order never changes. */
  readonly system: readonly string[]
  /** The conversation to continue. The model answers the last message. */
  readonly conversation: Conversation
  /** Ends the query. Running calls are cancelled, and each still gets its result in the conversation. */
  readonly signal: AbortSignal
  /** The same for all requests of a conversation, so that a provider can use it as a cache key. */
  readonly conversationId?: string

  /** The maximum number of model answers. */
  readonly maxTurns?: number
  /** The maximum cost of the session and all its agents together, compared with the root of `spending`. */
  readonly maxBudgetUsd?: number
  /** The usage and cost of this query are added to this object. */
  readonly spending?: Spending
  readonly thinking?: ThinkingConfig
  readonly maxOutputTokens?: number

  readonly context?: ContextKeeper
  /** Returns the announcements to send before the next request, given the conversation so far. */
  readonly announce?: (messages: readonly Message[]) => readonly AttachmentMessage[]
  /** The token count of the last answer before this query, if known. */
  readonly counted?: CountedMessages
  readonly host?: QueryHost
  readonly retries?: RetryClock
  /** Receives every event as it happens. If it throws, the query is interrupted and rejects with that error. */
  readonly onEvent?: (event: SessionEvent) => unknown
}

/** Optional callbacks of the caller of a query. */
export interface QueryHost {
  /** Called before each request and before the end. Adds pending input to the conversation. */
  addPendingInput?(): Promise<PendingInput>
  /** Called when the model has finished. The result decides whether the query ends. */
  beforeEnd?(end: { readonly text: string }): Promise<EndAnswer>
  /** Called with the calls of an answer when they start, and with undefined when they have ended. */
  onRun?(run: OpenRun | undefined): void
  /** Called when the results of an answer's calls are part of the conversation. */
  afterResults?(calls: readonly ToolUseBlock[], results: readonly ToolResultBlock[]): Promise<void>
  /** Called when a summary has replaced the conversation. */
  afterCompaction?(): Promise<void>
}

/** The outcome of adding pending input to the conversation. */
export interface PendingInput {
  /** Whether the conversation has new messages for the model to answer. */
  readonly hasMore: boolean
  /** The reason that a hook gave for ending the query; undefined if none did. */
  readonly stop?: string
}

/** The reaction to a complete answer: end, continue with further messages, or stop with a message for the user. */
export type EndAnswer =
  | { readonly type: 'end' }
  /** These messages are added to the conversation, and the model continues. */
  | { readonly type: 'continue'; readonly messages: readonly Message[] }
  /** The query ends; the message is for the user. */
  | { readonly type: 'stop'; readonly message: string }

/** Keeps a conversation within the window of its model, by clearing old results or by replacing it with a summary. */
export interface ContextKeeper {
  /**
   * Rewrites the conversation if necessary, and returns how. Does not throw if the summary fails, but
   * emits a notice.
   */
  keepWithinWindow(at: WindowState): Promise<RewriteCause | undefined>
}

/** The input of `ContextKeeper.keepWithinWindow`. */
export interface WindowState {
  readonly conversation: Conversation
  readonly runtime: SessionRuntime
  /** The model of the next request. */
  readonly model: Model
  readonly system: readonly string[]
  /** Also part of the next request: a summary request with the same parameters can use the provider's cache. */
  readonly thinking?: ThinkingConfig
  readonly maxOutputTokens?: number
  readonly conversationId?: string
  /**
   * `too_long`: the provider refused the conversation, so the next request can only succeed after a rewrite.
   * `requested`: the user asked for a summary.
   */
  readonly reason: 'before_request' | 'too_long' | 'requested'
  /** The user's instructions for the summary, such as what to keep. */
  readonly instructions?: string
  /** Undefined before the first answer, and after a rewrite. */
  readonly counted: CountedMessages | undefined
  readonly signal: AbortSignal
  /** How to wait between retries. Defaults to the system clock. */
  readonly retries?: RetryClock
  readonly emit: EmitEvent
  /** Called with the usage of a summary request, so that it is part of the cost. */
  readonly onUsage: (usage: ModelUsage) => void
}
