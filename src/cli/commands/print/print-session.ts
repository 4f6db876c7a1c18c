import type { Model } from '../../../contract/model.js'
import type { PermissionMode } from '../../../contract/permission-context.js'
import type { McpServers } from '../../../mcp/manager/create-mcp-servers.js'
import type { Session } from '../../../session/session.js'
import type { QueryEnd, SessionEvent } from '../../../session/session-event.js'
import { cleanUpWhenDue } from '../../../session/transcript/clean-up-sessions.js'
import type { Transcript } from '../../../session/transcript/transcript.js'
import type { CommandIo } from '../../command.js'
import type { ToolSession } from '../../open-tool-session.js'
import { warn } from '../../warn.js'
import type { AgentSession, Prompt } from './agent-session.js'
import type { Briefing } from './load-briefing.js'
import { openNamedModel } from './open-models.js'
import type { SessionFacts } from './print-output.js'
import type { StructuredAnswer } from './structured-answer.js'

export interface PrintSessionParts {
  readonly session: Session
  readonly toolSession: ToolSession
  readonly transcript: Transcript
  readonly briefing: Briefing
  readonly io: CommandIo
  readonly servers: McpServers | undefined
  readonly answer: StructuredAnswer | undefined
}

/** The session behind `haft -p`. */
export class PrintSession implements AgentSession {
  readonly #parts: PrintSessionParts
  readonly #firstModel: Model

  constructor(parts: PrintSessionParts) {
    this.#parts = parts
    this.#firstModel = parts.session.model
  }

  get id(): string {
    return this.#parts.transcript.sessionId
  }

  get facts(): SessionFacts {
    const { session, toolSession, servers } = this.#parts
    const { runtime } = toolSession
    return {
      ...{ cwd: runtime.cwd, model: session.model.id, mode: runtime.permissions.mode },
      tools: runtime.pool.map(({ name }) => name),
      mcpServers: (servers?.states ?? []).map(({ name, status }) => ({ name, status })),
    }
  }

  onMode: ((mode: PermissionMode) => void) | undefined

  async *submit(prompt: Prompt, options: { readonly signal: AbortSignal }): AsyncGenerator<SessionEvent, QueryEnd> {
    const { session, briefing, answer } = this.#parts
    const { conversation } = session
    answer?.promptBegins()
    for (const message of briefing.news(conversation.messages)) conversation.add(message)
    const events = session.submit(prompt, options)
    try {
      for (;;) {
        const { done, value } = await events.next()
        if (done === true) return value
        answer?.take(value)
        yield value
      }
    } finally {
      await events.return(undefined as never)
    }
  }

  get structured(): AgentSession['structured'] {
    return this.#parts.answer?.found
  }

  get answerTools(): ReadonlySet<string> {
    return new Set(this.#parts.answer?.tools.map(({ name }) => name))
  }

  async setModel(name: string | undefined): Promise<void> {
    const { session, toolSession, io } = this.#parts
    session.model =
      name === undefined ? this.#firstModel : await openNamedModel(name, toolSession.settings, io.variables)
  }

  async setMode(mode: PermissionMode): Promise<string | undefined> {
    const { runtime } = this.#parts.toolSession
    const { refused } = await runtime.applyUpdates([{ type: 'setMode', destination: 'session', mode }])
    return refused[0]?.reason
  }

  async dispose(): Promise<void> {
    const { session, toolSession, transcript, io } = this.#parts
    for (const event of await session.dispose())
      if (event.type === 'notice' && event.level === 'warning') warn(io, event.text)
    await toolSession.dispose()
    transcript.close()
    const { cleanupPeriodDays: days } = toolSession.settings
    await cleanUpWhenDue({ home: io.homeDir, ...(days !== undefined && { days }) })
  }
}
