import type { AskPermission } from '../../calls/call-environment.js'
import type { EditorFiles } from '../../contract/host/editor-files.js'
import type { UserMessage } from '../../contract/messages.js'
import type { Model } from '../../contract/model/model.js'
import type { PermissionMode } from '../../contract/permission/context.js'
import type { AskPort } from '../../contract/ports/ask.js'
import type { Notification } from '../../contract/ports/notify.js'
import type { SchedulePort } from '../../contract/ports/schedule.js'
import type { Tool, Tools } from '../../contract/tool/tool.js'
import type { RunningHook } from '../../hooks/create-hook-runner.js'
import type { ConfiguredServer } from '../../mcp/config/server-config.js'
import type { AgentKind } from '../../session/agents/agent-kinds.js'
import type { AgentInfo } from '../../session/agents/agents-options.js'
import type { EnvironmentFacts } from '../../session/context/system-prompt.js'
import type { Conversation } from '../../session/conversation/conversation.js'
import type { PendingNotices } from '../../session/conversation/pending-notices.js'
import type { QueryEnd, SessionEvent } from '../../session/conversation/session-event.js'
import type { Spending } from '../../session/conversation/spending.js'
import type { AskOptions, Session } from '../../session/session.js'
import type { LoadedSettings } from '../../settings/load-settings.js'
import type { CommandHost, CommandIo } from '../io/command.js'
import type { AgentOptions } from '../options/agent-options.js'
import type { ProjectContext } from './load-project-context.js'
import type { OpenedConversation } from './open-conversation.js'
import type { OpenedModels } from './open-models.js'
import type { StructuredAnswer } from './structured-answer.js'

export type Prompt = UserMessage['content']

/** What a driving program adds to a session that it starts. */
export interface ProgramAdditions {
  /** Hooks of the program by event, in the format of the settings. */
  readonly hooks?: Readonly<Record<string, readonly unknown[]>> | undefined
  readonly kinds?: readonly AgentKind[] | undefined
  /** Servers in the program itself. */
  readonly servers?: readonly ConfiguredServer[] | undefined
  /** The names of the skills to use. Default: all. */
  readonly skills?: readonly string[] | undefined
  readonly title?: string | undefined
  /** Tools of the program, besides the chosen built-in tools. */
  readonly tools?: Tools | undefined
  /** Replaces the main model of options and settings. */
  readonly model?: Model | undefined
}

/** A second record of a session, from which another process can continue it. */
export interface SessionRecord {
  /** The folder for the files of the session, instead of the home of the user. */
  readonly home: string
  readonly onLine: (line: string, agentId: string | undefined) => void
  /** A tool runs only after this. */
  readonly waitUntilRecorded: () => Promise<void>
  /** Replaces the schedule of this machine. */
  readonly schedule: SchedulePort
}

/** Facts about an open session, for its first output line. */
export interface SessionFacts {
  readonly cwd: string
  readonly model: string
  readonly tools: readonly string[]
  readonly mcpServers: readonly { readonly name: string; readonly status: string }[]
  readonly mode: PermissionMode
  readonly agents: readonly Pick<AgentKind, 'name' | 'description' | 'model'>[]
  readonly skills: readonly string[]
  /** The variable with the key of the model's provider; undefined if the model needs none. */
  readonly keyVariable: string | undefined
}

/** An open session that runs one prompt at a time. */
export interface AgentSession {
  readonly id: string
  readonly facts: SessionFacts
  /** Finds a tool of the session by its name or an alias. */
  findTool(name: string): Tool | undefined
  /** Runs a prompt. Without a prompt, the model continues with the notices that have arrived. */
  ask(prompt: Prompt | undefined, options: AskOptions): Promise<QueryEnd>
  /** Called when an idle session should continue, because a monitor or a teammate has reported something. */
  onWake: (() => void) | undefined
  /** Whether notices or messages of teammates wait for the model. */
  readonly hasNotices: boolean
  /** Changes the model from the next prompt on; undefined restores the initial model. Throws if the name is unknown. */
  setModel(name: string | undefined): Promise<void>
  /** Changes the permission mode; returns the reason if the change is refused. */
  setMode(mode: PermissionMode): Promise<string | undefined>
  /** Adds a prompt while another one is worked on. The model gets it with its next request. */
  interject(prompt: Prompt): void
  /** Removes and returns interjected prompts that the model has not received. */
  takeQueued(): readonly Prompt[]
  /** Whether plan mode is active and there is no user to approve a plan. */
  readonly isUnattendedPlanMode: boolean
  /** The structured answer; undefined if none was requested. */
  readonly structuredOutput: { readonly value: unknown } | 'missing' | undefined
  /** Names of tools that only return the structured answer. */
  readonly answerTools: ReadonlySet<string>
  /** Usage and cost of all prompts so far, including sub-agents. */
  readonly spending: Pick<Spending, 'costUsd' | 'models'>
  /** Called when the permission mode changes, also between prompts. */
  onMode: ((mode: PermissionMode) => void) | undefined
  onAgentEvent: ((event: SessionEvent, agent: AgentInfo) => void) | undefined
  /** Called with all running hooks except asynchronous ones, whenever one starts or ends. */
  onHooksRunning: ((hooks: readonly RunningHook[]) => void) | undefined
  /** Called when the model notifies the user. */
  onNotification: ((notification: Notification) => void) | undefined
  dispose(): Promise<void>
}

/** The members of an open session that tools and sub-agents use. */
export interface LiveSession
  extends Pick<AgentSession, 'onMode' | 'onAgentEvent' | 'onHooksRunning' | 'onNotification'> {
  readonly model: Model
  /** The conversation and its model. */
  readonly session: Session
  interrupt(): void
}

/** The values that a session and its tools are created from. */
export interface SessionParts {
  readonly io: CommandIo
  readonly host: CommandHost
  readonly options: AgentOptions
  readonly settings: LoadedSettings
  readonly tools: Tools
  readonly models: OpenedModels
  readonly projectContext: ProjectContext
  readonly answer: StructuredAnswer | undefined
  readonly ask: AskPermission | undefined
  readonly askPort: AskPort | undefined
  readonly editorFiles: EditorFiles | undefined
  readonly additions: ProgramAdditions
  /** A second record of the session, if there is one. */
  readonly record: SessionRecord | undefined
  readonly openedConversation: OpenedConversation
  readonly conversation: Conversation
  readonly environmentFacts: EnvironmentFacts
  /** Cost of all prompts, including sub-agents, summaries and hook requests. */
  readonly spending: Spending
  /** Notices for the next request, such as finished background tasks. */
  readonly notices: PendingNotices
  /** Holds the session once it is open, for callbacks that run later. */
  readonly sessionHolder: { session?: LiveSession }
}
