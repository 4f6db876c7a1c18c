import type { ToolEvent } from '../contract/events.js'
import type { Message } from '../contract/messages.js'
import type { ModelEvent, ModelUsage } from '../contract/model/model.js'
import type { ModelError } from '../contract/model/model-error.js'
import type { HookReport } from '../hooks/hook-result.js'
import type { MessageFacts, RewriteCause } from './conversation.js'
import type { CountedMessages } from './loop/counted-messages.js'

/** All that happens in a conversation, in the order it happens; screens, streams of JSON and tests read the same. */
export type SessionEvent =
  | { readonly type: 'request-started'; readonly turn: number; readonly model: string }
  /** A piece of the model's message. */
  | { readonly type: 'model-event'; readonly event: ModelEvent }
  /** A message is whole and a part of the conversation. */
  | { readonly type: 'message-added'; readonly message: Message; readonly facts: MessageFacts }
  /** The model's message broke off: what was shown of it does not count. */
  | { readonly type: 'message-discarded'; readonly reason: string }
  | { readonly type: 'request-retried'; readonly attempt: number; readonly delayMs: number; readonly error: ModelError }
  | { readonly type: 'model-changed'; readonly from: string; readonly to: string; readonly reason: string }
  | { readonly type: 'tool-event'; readonly event: ToolEvent; readonly agentId?: string }
  | {
      readonly type: 'messages-rewritten'
      readonly cause: RewriteCause
      readonly tokensBefore: number
      readonly tokensAfter: number
    }
  /** What a hook of an event that is not about a call came to. */
  | { readonly type: 'hook-reported'; readonly report: HookReport }
  /** For the user, not for the model. */
  | { readonly type: 'notice'; readonly level: 'info' | 'warning'; readonly text: string }

/** Why a conversation stopped, until the user speaks again. */
export type EndReason =
  | 'completed'
  | 'interrupted'
  | 'max_turns'
  | 'max_budget'
  /** The model declined to answer. */
  | 'refused'
  /** The answer was cut at the limit of output again and again. */
  | 'max_output'
  | 'context_full'
  | 'model_failed'
  | 'stopped_by_hook'
  /** Auto mode gave up and nobody can be asked. */
  | 'stopped_by_permissions'
  /** The model made the same call again after it was told. */
  | 'stuck'

/** How a query ended. */
export interface QueryEnd {
  readonly reason: EndReason
  /** What the assistant said last. */
  readonly text: string
  readonly turns: number
  readonly usage: ModelUsage
  /** How full the window is. Left out where nothing is known of the conversation as it is now. */
  readonly counted?: CountedMessages
  /** Undefined where the prices of a model are not known. */
  readonly costUsd: number | undefined
  /** Calls that were not permitted, in order. */
  readonly denials: readonly { readonly toolUseId: string; readonly toolName: string; readonly reason: string }[]
  /** One line for a person, where the reason needs one. */
  readonly message?: string
  readonly error?: ModelError
}
