import type { AttachmentMessage, Message } from '../../contract/messages.js'
import type { Model } from '../../contract/model/model.js'
import type { StartedRun } from '../../contract/runtime.js'
import type { ThinkingConfig } from '../../contract/tool/context.js'
import type { Spending } from '../agents/spending.js'
import type { Conversation } from '../conversation.js'
import type { SessionEvent } from '../session-event.js'
import type { SessionRuntime } from '../session-runtime.js'
import type { ContextKeeper } from './context-keeper.js'
import type { CountedMessages } from './counted-messages.js'
import type { RetryClock } from './retry-clock.js'

/** One prompt, or what came after it, taken to its end. */
export interface QueryOptions {
  readonly runtime: SessionRuntime
  readonly model: Model
  /** Takes over, until the query ends, when the model is overloaded again and again. */
  readonly fallbackModel?: Model
  /** Parts in an order that never changes. */
  readonly system: readonly string[]
  /** Ends with what the model is to answer. */
  readonly conversation: Conversation
  /** Ends the query; calls under way are cancelled, and each still has its result in the conversation. */
  readonly signal: AbortSignal
  /** The same for all requests of a conversation. */
  readonly conversationId?: string

  /** How many answers of the model there may be. */
  readonly maxTurns?: number
  /** For all that is below the top of `spending` together. */
  readonly maxBudgetUsd?: number
  /** The requests of this query are added to it. Its own if left out. */
  readonly spending?: Spending
  readonly thinking?: ThinkingConfig
  readonly maxOutputTokens?: number

  readonly context?: ContextKeeper
  /** What the model has to be told before the next request, given the conversation so far. */
  readonly announce?: (messages: readonly Message[]) => readonly AttachmentMessage[]
  /** What was counted in the last answer before this query, if it is known. */
  readonly counted?: CountedMessages
  readonly host?: QueryHost
  readonly retries?: RetryClock
}

/** What whoever began a query has a say in. */
export interface QueryHost {
  /** Asked before each request, and before the end: what came in meanwhile is added to the conversation. */
  takeIn?(): AsyncGenerator<SessionEvent, TakenIn>
  /** Asked when an answer is complete. */
  beforeEnd?(end: { readonly text: string }): AsyncGenerator<SessionEvent, EndAnswer>
  /** Told of the calls that are under way, so that the user can interrupt them. */
  onRun?(run: StartedRun | undefined): void
}

export interface TakenIn {
  /** Whether there is more for the model to answer. */
  readonly hasMore: boolean
  /** Why the query is to end, for the user: a hook said so. */
  readonly stop?: string
}

export type EndAnswer =
  | { readonly type: 'end' }
  /** There is more to do, as the messages say. */
  | { readonly type: 'go_on'; readonly messages: readonly Message[] }
  /** The text is for the user. */
  | { readonly type: 'stop'; readonly message: string }
