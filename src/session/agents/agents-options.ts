import type { Message } from '../../contract/messages.js'
import type { Model } from '../../contract/model/model.js'
import type { ThinkingConfig } from '../../contract/tool/context.js'
import type { SystemPromptOptions } from '../context/system-prompt.js'
import type { ConversationLog } from '../conversation/conversation.js'
import type { SessionEvent } from '../conversation/session-event.js'
import type { SessionRuntime } from '../conversation/session-runtime.js'
import type { Spending } from '../conversation/spending.js'
import type { QueryOptions } from '../loop/query-options.js'
import type { AgentKind } from './agent-kind.js'

/** One sub-agent, for those who watch. */
export interface AgentInfo {
  readonly agentId: string
  readonly kind: string
  readonly description: string
  /** 1 for those that the main conversation starts. */
  readonly depth: number
  /** The call that started it. */
  readonly toolUseId: string
}

/** Where the conversations of sub-agents are written down: a `Transcript` is one. */
export interface AgentTranscripts {
  agentLog(agentId: string): ConversationLog
  agentEnded(agentId: string): void
  /** The file, for hooks. */
  agentPath?(agentId: string): string | undefined
}

/** What sub-agents take over from the session. */
export interface AgentsOptions {
  /** As they are when an agent is started; `agentDefinitions` of the runtime should be the same list. */
  readonly kinds: () => readonly AgentKind[]
  /** The main conversation as it is now: what `inherit` means there, and what its forks begin with. */
  readonly main: () => MainConversation
  /** The model may have come up with the name: `openModel` of the providers takes `served` against names of files. */
  readonly openModel: (name: string) => Promise<Model>
  /** The system prompt of a sub-agent that works in this folder with this model. */
  readonly system: (
    agent: { readonly cwd: string; readonly model: Model },
    prompt: SystemPromptOptions,
  ) => readonly string[]
  /** What a new conversation begins with, before the task: instructions of the project, for instance. */
  readonly opening?: (agent: { readonly cwd: string }) => Promise<readonly Message[]>
  /** What the conversation of a sub-agent is told of its surroundings, as that of the main one is: see `announceSurroundings`. */
  readonly announce?: (runtime: SessionRuntime) => NonNullable<QueryOptions['announce']>
  /** For the loop of every sub-agent. */
  readonly query?: Pick<QueryOptions, 'fallbackModel' | 'thinking' | 'maxOutputTokens' | 'context' | 'retries'>
  readonly transcripts?: AgentTranscripts
  readonly onEvent?: (event: SessionEvent, agent: AgentInfo) => void
}

export interface MainConversation {
  readonly model: Model
  readonly system: readonly string[]
  readonly conversationId?: string | undefined
  readonly thinking?: ThinkingConfig
  /** Of the session: what sub-agents use is added to it. */
  readonly spending?: Spending
  /** For the session and all its agents together. */
  readonly maxBudgetUsd?: number | undefined
}
