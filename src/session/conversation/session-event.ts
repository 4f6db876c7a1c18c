import type { ToolEvent } from '../../contract/events.js'
import type { Message } from '../../contract/messages.js'
import type { ModelEvent, ModelUsage } from '../../contract/model/model.js'
import type { ModelError } from '../../contract/model/model-error.js'
import type { HookReport } from '../../hooks/answer/merge-results.js'

/** Everything that happens in a conversation, in order. Screens, JSON output and tests read the same events. */
export type SessionEvent =
  | { readonly type: 'request-started'; readonly turn: number; readonly model: string }
  /** A streamed part of the model's message. */
  | { readonly type: 'model-event'; readonly event: ModelEvent }
  /** A message is complete and part of the conversation. */
  | { readonly type: 'message-added'; readonly message: Message; readonly facts: MessageFacts }
  /** The model's message broke off. What was streamed of it is not part of the conversation. */
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
  /** The outcome of a hook that is not about a call. */
  | { readonly type: 'hook-reported'; readonly report: HookReport }
  /** A message for the user; the model does not receive it. */
  | { readonly type: 'notice'; readonly level: 'info' | 'warning'; readonly text: string }

/** Receives the events of a conversation as they happen. */
export type EmitEvent = (event: SessionEvent) => void

/** Facts that a log records about a message besides its content. */
export interface MessageFacts {
  /** The model that wrote the message; set for assistant messages only. */
  readonly model?: string
  readonly usage?: ModelUsage
}

/** Why messages that were already sent are replaced. */
export type RewriteCause = 'compaction' | 'clearing' | 'rewind' | 'snip'

/** Why the loop stopped. The next prompt continues the conversation. */
export type EndReason =
  | 'completed'
  | 'interrupted'
  | 'max_turns'
  | 'max_budget'
  /** The model declined to answer. */
  | 'refused'
  /** The answer hit the output limit several times in a row. */
  | 'max_output'
  | 'context_full'
  | 'model_failed'
  | 'stopped_by_hook'
  /** Auto mode gave up, and there is no user to ask. */
  | 'stopped_by_permissions'
  /** The model repeated the same call after a warning. */
  | 'stuck'

/** The result of `query` and `Session.ask`. */
export interface QueryEnd {
  readonly reason: EndReason
  /** The assistant's last text. */
  readonly text: string
  readonly turns: number
  readonly usage: ModelUsage
  /** How full the window is. Left out before the first counted answer, and after a rewrite. */
  readonly counted?: CountedMessages
  /** Undefined when the prices of a model are unknown. */
  readonly costUsd: number | undefined
  /** Denied calls, in call order. */
  readonly denials: readonly { readonly toolUseId: string; readonly toolName: string; readonly reason: string }[]
  /** One line for the user, if the reason needs an explanation. */
  readonly message?: string
  readonly error?: ModelError
}

/** The provider's token count of its last answer. */
export interface CountedMessages {
  readonly usage: ModelUsage
  /** How many messages of the conversation the count covers: those that were sent, and the answer itself. */
  readonly messages: number
}
