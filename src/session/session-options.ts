import type { Conversation } from './conversation.js'
import type { QueryHost, QueryOptions } from './loop/query-options.js'
import type { PendingNotices } from './pending-notices.js'

export interface SessionOptions extends Omit<QueryOptions, 'conversation' | 'signal' | 'host' | 'counted'> {
  /** One that is resumed, or that is written down; a new one if left out. */
  readonly conversation?: Conversation
  /** What SessionStart hooks are told before the first prompt; `startup` if left out. */
  readonly source?: StartSource
  /** Asked when an answer is complete, before the Stop hooks are. */
  readonly beforeEnd?: QueryHost['beforeEnd']
  /** What happened beside the conversation: told to the model with the next request, and before it ends. */
  readonly notices?: Pick<PendingNotices, 'take' | 'added'>
  /** An answer is the end only when the agents in the background have ended, too, and the model has heard of it: for whoever speaks once. */
  readonly waitsForAgents?: boolean
}

export type StartSource = 'startup' | 'resume' | 'clear' | 'compact'

/** Why a session ends, as hooks are told. */
export type SessionEndReason = 'clear' | 'logout' | 'prompt_input_exit' | 'other'
