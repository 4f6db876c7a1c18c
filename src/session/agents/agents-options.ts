import type { Message } from '../../contract/messages.js'
import type { Model } from '../../contract/model/model.js'
import type { ThinkingConfig } from '../../contract/tool/context.js'
import type { SystemPromptOptions } from '../context/system-prompt.js'
import type { ConversationLog } from '../conversation/conversation.js'
import type { SessionEvent } from '../conversation/session-event.js'
import type { SessionRuntime } from '../conversation/session-runtime.js'
import type { Spending } from '../conversation/spending.js'
import type { QueryOptions } from '../loop/query-options.js'
import type { AgentKind } from './agent-kinds.js'

/** Identifies a sub-agent for event listeners. */
export interface AgentInfo {
  readonly agentId: string
  readonly kind: string
  readonly description: string
  /** 1 for agents started by the main conversation. */
  readonly depth: number
  /** The tool call that started the agent. */
  readonly toolUseId: string
}

/** Where the conversations of sub-agents are logged. `Transcript` implements it. */
export interface AgentTranscripts {
  agentLog(agentId: string): ConversationLog
  agentEnded(agentId: string): void
  /** Whether an agent with this id has a log, also from before the session was resumed. */
  hasAgent?(agentId: string): boolean
  /** The file of the log, for hooks. */
  agentPath?(agentId: string): string | undefined
}

/** Options of `createAgents`. */
export interface AgentsOptions {
  /** Returns the kinds. Called whenever an agent is started. `agentDefinitions` of the runtime should be the same list. */
  readonly kinds: () => readonly AgentKind[]
  /** Returns the current main conversation, from which its sub-agents inherit. */
  readonly main: () => MainConversation
  /**
   * Opens a model by its name, which a model may have chosen. Use `openModel` of the providers with `served: true`, which
   * rejects models that are files.
   */
  readonly openModel: (name: string) => Promise<Model>
  /** Returns the system prompt of a sub-agent with this folder and model. */
  readonly system: (
    agent: { readonly cwd: string; readonly model: Model },
    prompt: SystemPromptOptions,
  ) => readonly string[]
  /** Returns the first messages of a new conversation, before the task: for instance the project's instructions. */
  readonly opening?: (agent: { readonly cwd: string }) => Promise<readonly Message[]>
  /** Returns the `announce` option of a sub-agent's loop, see `announceContext`. */
  readonly announce?: (runtime: SessionRuntime) => NonNullable<QueryOptions['announce']>
  /** Options for the loop of every sub-agent. */
  readonly query?: Pick<QueryOptions, 'fallbackModel' | 'thinking' | 'maxOutputTokens' | 'context' | 'retries'>
  readonly transcripts?: AgentTranscripts
  readonly onEvent?: (event: SessionEvent, agent: AgentInfo) => void
}

/** The values of the main conversation that its sub-agents inherit. */
export interface MainConversation {
  readonly model: Model
  readonly system: readonly string[]
  readonly conversationId?: string | undefined
  readonly thinking?: ThinkingConfig
  /** The session's spending. The usage of sub-agents is added to it. */
  readonly spending?: Spending
  /** The maximum cost of the session and all its agents together. */
  readonly maxBudgetUsd?: number | undefined
}
