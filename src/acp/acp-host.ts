import type { NoUserAvailable, PermissionAnswer, PermissionQuestion } from '../calls/call-environment.js'
import type { EditorFiles } from '../contract/host/editor-files.js'
import type { Message, ToolResultBlock, UserMessage } from '../contract/messages.js'
import type { PermissionMode } from '../contract/permission/context.js'
import type { AskPort } from '../contract/ports/ask.js'
import type { Tool } from '../contract/tool/tool.js'
import type { AgentInfo } from '../session/agents/agents-options.js'
import type { QueryEnd, SessionEvent } from '../session/conversation/session-event.js'
import type { AskOptions } from '../session/session.js'
import type { ListedSession } from '../session/transcript/read/list-sessions.js'
import type { CallFacts } from '../views/call-view.js'
import type { OfferedUpdate } from './permission-requests.js'

/** What an editor gives to a new or continued session. */
export interface SessionRequest {
  readonly cwd: string
  readonly additionalFolders: readonly string[]
  /** In the format of `--mcp-config`. */
  readonly mcpServers: Readonly<Record<string, unknown>>
  /** The session to continue; undefined for a new one. */
  readonly continued?: { readonly id: string; readonly isFork: boolean }
}

/** How the editor answers the questions of a session, and reads and writes files for it. */
export interface SessionEditor {
  /** @param offers the rules that could be saved together with the answer */
  ask(question: PermissionQuestion, offers: readonly OfferedUpdate[]): Promise<PermissionAnswer | NoUserAvailable>
  readonly askPort: AskPort
  /** Undefined if the editor offers no access to its files. */
  readonly files: EditorFiles | undefined
}

/** A command that starts with a slash and expands to a prompt. */
export interface SlashCommand {
  readonly name: string
  readonly description: string
  readonly argumentHint?: string
}

/** One open session, as the protocol uses it. */
export interface EditorSession {
  readonly id: string
  readonly cwd: string
  readonly mode: PermissionMode
  readonly model: string
  readonly models: readonly string[]
  /** The size of the model's context window in tokens. */
  readonly contextWindow: number
  readonly costUsd: number | undefined
  readonly messages: readonly Message[]
  readonly hasNotices: boolean
  /** The to-do list and the task board. */
  listTodos(): readonly { readonly content: string; readonly status: string }[]
  /** Finds the stored view of a result of an earlier process. */
  findShown(result: ToolResultBlock): CallFacts['shown']
  findTool(name: string): Tool | undefined
  listCommands(): Promise<readonly SlashCommand[]>
  /** Expands a text that starts with a slash command; returns undefined for other texts. */
  expandCommand(text: string, signal: AbortSignal): Promise<string | undefined>
  ask(prompt: UserMessage['content'] | undefined, options: AskOptions): Promise<QueryEnd>
  /** Returns the reason if the change is refused. */
  setMode(mode: PermissionMode): Promise<string | undefined>
  setModel(name: string): Promise<void>
  onMode: ((mode: PermissionMode) => void) | undefined
  onWake: (() => void) | undefined
  onAgentEvent: ((event: SessionEvent, agent: AgentInfo) => void) | undefined
  dispose(): Promise<void>
}

/** Opens and manages the sessions of an editor. */
export interface AcpHost {
  /** Rejects with a `NoModelError` if no model is configured. */
  openSession(request: SessionRequest, editor: SessionEditor): Promise<EditorSession>
  /** Lists saved sessions, newest first; without a folder, those of all projects. */
  listSessions(cwd: string | undefined): Promise<readonly ListedSession[]>
  /** Deletes a saved session. Resolves if there is none. */
  deleteSession(id: string): Promise<void>
  /** Returns why no model can be used; undefined if one can. */
  findModelProblem(): Promise<string | undefined>
}

/** No model is configured, so the user has to set one up first. */
export class MissingModelError extends Error {
  override readonly name = 'MissingModelError'
}
