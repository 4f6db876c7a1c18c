import type { Model } from '../../contract/model/model.js'
import type { PermissionMode } from '../../contract/permission/context.js'
import type { BackgroundTask } from '../../contract/ports/tasks.js'
import { findToolByName } from '../../contract/tool/identity.js'
import type { Tool } from '../../contract/tool/tool.js'
import type { McpServers } from '../../mcp/manager/create-mcp-servers.js'
import type { QueryEnd, SessionEvent } from '../../session/conversation/session-event.js'
import type { SessionEndReason } from '../../session/hooks/session-hooks.js'
import type { AskOptions, Session } from '../../session/session.js'
import { cleanUpWhenDue } from '../../session/transcript/read/clean-up-sessions.js'
import type { SettingsWatch } from '../../settings/watch-settings.js'
import { UsageError } from '../io/exit.js'
import { warn } from '../io/warn.js'
import type { ToolSession } from '../tool-session/open-tool-session.js'
import type { AgentSession, LiveSession, Prompt, SessionFacts, SessionParts } from './agent-session.js'
import type { ProjectContext } from './load-project-context.js'
import { openNamedModel } from './open-models.js'

/** Delay before all tools are prepared. Hardly any model responds faster. */
const PREPARATION_DELAY_MS = 100

/** Variables that contain the key of a provider, in the order in which they are used. */
const KEY_VARIABLES = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY'] as const

interface OpenedSessionParts
  extends Pick<
    SessionParts,
    'io' | 'openedConversation' | 'answer' | 'options' | 'ask' | 'projectContext' | 'notices'
  > {
  readonly session: Session
  readonly toolSession: ToolSession
  readonly servers: McpServers | undefined
  /** Runs hooks when settings files change; undefined if there are no such hooks. */
  readonly settingsWatch: SettingsWatch | undefined
  /** Runs FileChanged hooks. */
  readonly fileWatch: SettingsWatch | undefined
}

export class OpenedSession implements AgentSession, LiveSession {
  readonly #parts: OpenedSessionParts
  readonly #initialModel: Model
  #turn: AbortController | undefined
  #preparation: NodeJS.Timeout | undefined
  onMode: AgentSession['onMode']
  onAgentEvent: AgentSession['onAgentEvent']
  onHooksRunning: AgentSession['onHooksRunning']
  onNotification: AgentSession['onNotification']

  constructor(parts: OpenedSessionParts) {
    this.#parts = parts
    this.#initialModel = parts.session.model
    const { teams } = parts.session.runtime
    teams?.onMail(() => this.onWake?.())
    // Finds the team of a resumed session, so that messages can wake it. A later call reports a failure.
    teams?.open(undefined).catch(() => undefined)
  }

  get onWake(): AgentSession['onWake'] {
    return this.#parts.notices.onWake
  }

  set onWake(onWake: AgentSession['onWake']) {
    this.#parts.notices.onWake = onWake
    // The messages of a resumed session may have been announced before anybody listened.
    if (this.#parts.session.hasMail) onWake?.()
  }

  get hasNotices(): boolean {
    return !this.#parts.notices.isEmpty || this.#parts.session.hasMail
  }

  /** The session itself, for interfaces that need more than its events. */
  get session(): Session {
    return this.#parts.session
  }

  get toolSession(): ToolSession {
    return this.#parts.toolSession
  }

  get projectContext(): ProjectContext {
    return this.#parts.projectContext
  }

  get servers(): McpServers | undefined {
    return this.#parts.servers
  }

  get id(): string {
    return this.#parts.openedConversation.transcript.sessionId
  }

  /** The file of the transcript; undefined if the session is not saved. */
  get transcriptPath(): string | undefined {
    return this.#parts.openedConversation.transcript.path
  }

  get model(): Model {
    return this.#parts.session.model
  }

  get facts(): SessionFacts {
    const { toolSession, servers } = this.#parts
    const { runtime } = toolSession
    return {
      ...{ cwd: runtime.cwd, model: this.model.id, mode: runtime.permissions.mode },
      tools: runtime.pool.map(({ name }) => name),
      agents: this.projectContext.kinds,
      skills: this.projectContext.skills.map(({ name }) => name),
      keyVariable: KEY_VARIABLES.find((name) => (this.#parts.io.variables[name] ?? '') !== ''),
      mcpServers: (servers?.states ?? []).map(({ name, status }) => ({ name, status })),
    }
  }

  findTool(name: string): Tool | undefined {
    const { pool, nestedPool } = this.#parts.toolSession.runtime
    return findToolByName(pool, name) ?? findToolByName(nestedPool, name)
  }

  async ask(prompt: Prompt | undefined, { signal, onEvent, ...options }: AskOptions): Promise<QueryEnd> {
    const { session, answer } = this.#parts
    answer?.startPrompt()
    this.#turn = new AbortController()
    const signals = [this.#turn.signal, ...(signal === undefined ? [] : [signal])]
    return session.ask(prompt, {
      ...options,
      signal: AbortSignal.any(signals),
      onEvent: (event) => {
        this.#prepareCalls(event)
        answer?.collect(event)
        return onEvent?.(event)
      },
    })
  }

  /** Tells the model something with the next request. */
  addNotice(text: string): void {
    this.#parts.notices.addText(text)
  }

  interrupt(): void {
    this.#turn?.abort()
  }

  /**
   * Loads what calls need while the model is busy: for all tools shortly after the first request, and for a tool when a
   * call of it begins.
   */
  #prepareCalls(event: SessionEvent): void {
    const { runtime } = this.#parts.toolSession
    if (event.type === 'request-started' && event.turn === 1) {
      const prepareAllTools = () => {
        for (const { name } of runtime.pool) runtime.expectCall(name)
      }
      this.#preparation = setTimeout(prepareAllTools, PREPARATION_DELAY_MS).unref()
    } else if (event.type === 'model-event' && event.event.type === 'call-begun') {
      // Preparing all tools would delay this call, so from now on a tool is prepared when a call of it begins.
      clearTimeout(this.#preparation)
      runtime.expectCall(event.event.name)
    }
  }

  get isUnattendedPlanMode(): boolean {
    const { ask, toolSession } = this.#parts
    return ask === undefined && toolSession.runtime.permissions.mode === 'plan'
  }

  get structuredOutput(): AgentSession['structuredOutput'] {
    return this.#parts.answer?.result
  }

  get answerTools(): ReadonlySet<string> {
    return new Set(this.#parts.answer?.tools.map(({ name }) => name))
  }

  get spending(): AgentSession['spending'] {
    return this.#parts.session.spending
  }

  interject(prompt: Prompt): void {
    this.#parts.session.interject(prompt)
  }

  takeQueued(): readonly Prompt[] {
    return this.#parts.session.takeQueued()
  }

  async setModel(name: string | undefined): Promise<void> {
    const { session, toolSession, io } = this.#parts
    const model = name === undefined ? this.#initialModel : await openNamedModel(name, toolSession.settings, io)
    const objection = await session.switchModel(model)
    if (objection !== undefined)
      throw new UsageError(`a hook refused the change, so the model is still ${session.model.id}: ${objection}`)
  }

  async setMode(mode: PermissionMode): Promise<string | undefined> {
    const { runtime } = this.#parts.toolSession
    const { refused } = await runtime.applyUpdates([{ type: 'setMode', destination: 'session', mode }])
    return refused[0]?.reason
  }

  async dispose(reason?: SessionEndReason): Promise<void> {
    const { session, toolSession, openedConversation, io, settingsWatch, fileWatch } = this.#parts
    await Promise.all([settingsWatch?.close(), fileWatch?.close()])
    const isBusy = ({ status, isIdle }: BackgroundTask) => status === 'running' && isIdle !== true
    for (const { id, description } of toolSession.runtime.tasks.list().filter(isBusy))
      warn(io, `${id} is still running in the background and ends with this run: ${description}`)
    const { worktree } = toolSession.runtime
    if (worktree !== undefined)
      warn(io, `the session ends in the worktree ${worktree.path} (${worktree.branch}), which is kept`)
    for (const event of await session.dispose(reason))
      if (event.type === 'notice' && event.level === 'warning') warn(io, event.text)
    await toolSession.dispose()
    openedConversation.transcript.close()
    const { cleanupPeriodDays: days } = toolSession.settings
    await cleanUpWhenDue({ home: io.homeDir, ...(days !== undefined && { days }) })
  }
}
