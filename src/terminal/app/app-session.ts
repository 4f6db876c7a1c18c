import type { UserMessage } from '../../contract/messages.js'
import type { PermissionMode } from '../../contract/permission/context.js'
import type { Notification } from '../../contract/ports/notify.js'
import type { Team } from '../../contract/ports/teams.js'
import type { AgentInfo } from '../../session/agents/agents-options.js'
import type { QueryEnd, SessionEvent } from '../../session/conversation/session-event.js'
import type { AskOptions, Session } from '../../session/session.js'
import type { Submission } from '../editor/editor.js'

/** A submitted prompt. For a prompt that a command produced, `shownText` is displayed instead of the text. */
export interface PromptSubmission extends Submission {
  readonly shownText?: string
}

/** An item of the model's todo list. */
export interface TodoItem {
  readonly content: string
  readonly status: string
}

/** The members of an open session that the terminal uses. */
export interface AppSession {
  readonly id: string
  readonly session: Session
  /** Sends a prompt to the model. Without a prompt, the model continues with the notices that have arrived. */
  ask(prompt: UserMessage['content'] | undefined, options: AskOptions): Promise<QueryEnd>
  /** Called when an idle session should continue, because a monitor or a teammate has reported something. */
  onWake: (() => void) | undefined
  /** Whether notices or messages of teammates wait for the model. */
  readonly hasNotices: boolean
  /** Changes the permission mode. Returns the reason if the change is refused. */
  setMode(mode: PermissionMode): Promise<string | undefined>
  onMode: ((mode: PermissionMode) => void) | undefined
  onAgentEvent: ((event: SessionEvent, agent: AgentInfo) => void) | undefined
  /** Called with the status messages of running hooks, whenever they change. */
  onHookStatus: ((messages: readonly string[]) => void) | undefined
  /** Called when the model notifies the user. */
  onNotification: ((notification: Notification) => void) | undefined
  /** Runs the Notification hooks. Returns their reports. */
  notifyHooks(type: string, message: string): Promise<readonly SessionEvent[]>
  /** Returns the model's todo list; empty if there is none. */
  todos(): readonly TodoItem[]
  /** The team of the session; undefined if it has none. */
  team(): Team | undefined
  /** Turns a submission into the content of a prompt, with its images. */
  readSubmission(submission: Submission): Promise<UserMessage['content']>
}
