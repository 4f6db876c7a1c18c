import type { AskPermission } from '../../../../calls/call-environment.js'
import type { UserMessage } from '../../../../contract/messages.js'
import type { Model } from '../../../../contract/model/model.js'
import type { PermissionMode } from '../../../../contract/permission/context.js'
import type { Tools } from '../../../../contract/tool/tool.js'
import type { AgentInfo } from '../../../../session/agents/agents-options.js'
import type { Surroundings } from '../../../../session/context/system-prompt.js'
import type { Conversation } from '../../../../session/conversation/conversation.js'
import type { PendingNotices } from '../../../../session/conversation/pending-notices.js'
import type { QueryEnd, SessionEvent } from '../../../../session/conversation/session-event.js'
import type { Spending } from '../../../../session/conversation/spending.js'
import type { AskOptions } from '../../../../session/session.js'
import type { LoadedSettings } from '../../../../settings/load-settings.js'
import type { CommandHost, CommandIo } from '../../../io/command.js'
import type { PrintOptions } from '../options/print-options.js'
import type { Briefing } from './load-briefing.js'
import type { OpenedConversation } from './open-conversation.js'
import type { OpenedModels } from './open-models.js'
import type { StructuredAnswer } from './structured-answer.js'

export type Prompt = UserMessage['content']

/** What is known when a session is open. */
export interface SessionFacts {
  readonly cwd: string
  readonly model: string
  readonly tools: readonly string[]
  readonly mcpServers: readonly { readonly name: string; readonly status: string }[]
  readonly mode: PermissionMode
}

/** A conversation that is ready for prompts, one after the other. */
export interface AgentSession {
  readonly id: string
  readonly facts: SessionFacts
  ask(prompt: Prompt, options: AskOptions): Promise<QueryEnd>
  /** From the next prompt on; the model of the start where none is named. Fails with one line where there is none such. */
  setModel(name: string | undefined): Promise<void>
  /** Tells why not, where the mode is refused. */
  setMode(mode: PermissionMode): Promise<string | undefined>
  /** Plan mode is on, and nobody is there to approve a plan. */
  readonly plansAlone: boolean
  /** The answer in the form that was asked for; undefined where none was. */
  readonly structured: { readonly value: unknown } | 'missing' | undefined
  /** Names of tools that only hand over the answer. */
  readonly answerTools: ReadonlySet<string>
  /** Of all prompts so far, sub-agents included; undefined where a price is not known. */
  readonly costUsd: number | undefined
  /** Told of every mode that is entered. */
  onMode: ((mode: PermissionMode) => void) | undefined
  /** Told of what sub-agents do. */
  onAgentEvent: ((event: SessionEvent, agent: AgentInfo) => void) | undefined
  dispose(): Promise<void>
}

/** What tools and sub-agents tell the session that they belong to. */
export interface LiveSession extends Pick<AgentSession, 'onMode' | 'onAgentEvent'> {
  readonly model: Model
  /** Ends the prompt that is worked on. */
  interrupt(): void
}

/** What a session is put together from. */
export interface SessionParts {
  readonly io: CommandIo
  readonly host: CommandHost
  readonly options: PrintOptions
  readonly settings: LoadedSettings
  readonly tools: Tools
  readonly models: OpenedModels
  readonly briefing: Briefing
  readonly answer: StructuredAnswer | undefined
  readonly ask: AskPermission | undefined
  readonly kept: OpenedConversation
  readonly conversation: Conversation
  readonly surroundings: Surroundings
  /** Of all prompts, with their sub-agents, summaries and questions of hooks. */
  readonly spending: Spending
  /** What happened beside the conversation, for the next request. */
  readonly notices: PendingNotices
  /** The session itself, for those who are asked only when it is open. */
  readonly opened: { session?: LiveSession }
}
