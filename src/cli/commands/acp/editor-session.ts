import type { EditorSession, SlashCommand } from '../../../acp/acp-host.js'
import type { Message, ToolResultBlock } from '../../../contract/messages.js'
import type { PermissionMode } from '../../../contract/permission/context.js'
import type { Tool } from '../../../contract/tool/tool.js'
import { MODEL_FACTS } from '../../../providers/common/model-facts.js'
import type { QueryEnd } from '../../../session/conversation/session-event.js'
import type { AskOptions } from '../../../session/session.js'
import type { CallFacts } from '../../../views/call-view.js'
import type { AgentSession, Prompt } from '../../agent-session/agent-session.js'
import { listTodos, type TodoItem } from '../../agent-session/list-todos.js'
import type { OpenedSession } from '../../agent-session/opened-session.js'
import { expandPrompt, loadPromptCommands, type PromptCommand } from '../../agent-session/prompt-commands.js'
import { readSavedHistory } from '../../agent-session/saved-history.js'
import type { CommandHost, CommandIo } from '../../io/command.js'

/** Adapts an open session to the protocol of editors. */
export class OpenedEditorSession implements EditorSession {
  readonly #opened: OpenedSession
  readonly #io: CommandIo
  readonly #host: CommandHost
  /** Undefined for a new session, which has nothing to replay. */
  readonly #history: ReturnType<typeof readSavedHistory>
  #commands: Promise<readonly PromptCommand[]> | undefined

  constructor(opened: OpenedSession, io: CommandIo, host: CommandHost) {
    this.#opened = opened
    this.#io = io
    this.#host = host
    const isNew = opened.session.conversation.messages.length === 0
    this.#history = isNew ? undefined : readSavedHistory(opened.transcriptPath)
  }

  get id(): string {
    return this.#opened.id
  }

  get cwd(): string {
    return this.#opened.facts.cwd
  }

  get mode(): PermissionMode {
    return this.#opened.facts.mode
  }

  get model(): string {
    return this.#opened.model.id
  }

  /** The models of the same family that Haft knows, and those that the settings name. */
  get models(): readonly string[] {
    const { provider } = this.#opened.model
    const prefix = { anthropic: 'claude-', openai: 'gpt-' }[provider]
    const knownModels = prefix === undefined ? [] : Object.keys(MODEL_FACTS).filter((name) => name.startsWith(prefix))
    return [...new Set([...knownModels, ...Object.keys(this.#opened.toolSession.settings.models ?? {})])]
  }

  get contextWindow(): number {
    return this.#opened.model.facts.contextWindow
  }

  get costUsd(): number | undefined {
    return this.#opened.spending.costUsd
  }

  get messages(): readonly Message[] {
    return this.#history?.messages ?? this.#opened.session.conversation.messages
  }

  get hasNotices(): boolean {
    return this.#opened.hasNotices
  }

  get onMode(): AgentSession['onMode'] {
    return this.#opened.onMode
  }

  set onMode(onMode: AgentSession['onMode']) {
    this.#opened.onMode = onMode
  }

  get onWake(): AgentSession['onWake'] {
    return this.#opened.onWake
  }

  set onWake(onWake: AgentSession['onWake']) {
    this.#opened.onWake = onWake
  }

  get onAgentEvent(): AgentSession['onAgentEvent'] {
    return this.#opened.onAgentEvent
  }

  set onAgentEvent(onAgentEvent: AgentSession['onAgentEvent']) {
    this.#opened.onAgentEvent = onAgentEvent
  }

  listTodos(): readonly TodoItem[] {
    return listTodos(this.#opened.toolSession.runtime)
  }

  findShown(result: ToolResultBlock): CallFacts['shown'] {
    return this.#history?.findShown(result)
  }

  findTool(name: string): Tool | undefined {
    return this.#opened.findTool(name)
  }

  async listCommands(): Promise<readonly SlashCommand[]> {
    return this.#loadCommands()
  }

  async expandCommand(text: string, signal: AbortSignal): Promise<string | undefined> {
    return expandPrompt(text, await this.#loadCommands(), signal)
  }

  ask(prompt: Prompt | undefined, options: AskOptions): Promise<QueryEnd> {
    return this.#opened.ask(prompt, options)
  }

  setMode(mode: PermissionMode): Promise<string | undefined> {
    return this.#opened.setMode(mode)
  }

  setModel(name: string): Promise<void> {
    return this.#opened.setModel(name)
  }

  dispose(): Promise<void> {
    return this.#opened.dispose()
  }

  #loadCommands(): Promise<readonly PromptCommand[]> {
    this.#commands ??= loadPromptCommands(this.#opened, this.#io, this.#host)
    return this.#commands
  }
}
