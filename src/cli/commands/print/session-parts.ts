import type { AskPermission } from '../../../calls/call-environment.js'
import type { Model } from '../../../contract/model/model.js'
import type { Tools } from '../../../contract/tool/tool.js'
import type { Spending } from '../../../session/agents/spending.js'
import type { Surroundings } from '../../../session/context/system-prompt.js'
import type { Conversation } from '../../../session/conversation.js'
import type { PendingNotices } from '../../../session/pending-notices.js'
import type { LoadedSettings } from '../../../settings/load-settings.js'
import type { CommandIo } from '../../command.js'
import type { CommandHost } from '../../command-host.js'
import type { AgentSession } from './agent-session.js'
import type { Briefing } from './load-briefing.js'
import type { OpenedConversation } from './open-conversation.js'
import type { OpenedModels } from './open-models.js'
import type { PrintOptions } from './print-options.js'
import type { StructuredAnswer } from './structured-answer.js'

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
