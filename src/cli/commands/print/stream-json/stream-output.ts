import { randomUUID } from 'node:crypto'
import type { AgentInfo } from '../../../../session/agents/agents-options.js'
import type { SessionEvent } from '../../../../session/conversation/session-event.js'
import { version } from '../../../../shared/version.js'
import type { CommandHost } from '../../../io/command.js'
import type { PrintOutput } from '../output/print-output.js'
import type { OutputBody, ResultBody } from '../schema/output-schema.js'
import type { AgentSession, SessionFacts } from '../session/agent-session.js'
import { EventLines, type EventLinesOptions } from './event-lines.js'

/** A line of JSON for all that happens, as it happens. */
export class StreamOutput implements PrintOutput {
  readonly #host: CommandHost
  readonly #sessionId: string
  readonly #options: EventLinesOptions
  readonly #lines: EventLines
  readonly #agents = new Map<string, EventLines>()
  readonly #spoken = new SpokenMessages()

  constructor(host: CommandHost, sessionId: string, options: EventLinesOptions) {
    this.#host = host
    this.#sessionId = sessionId
    this.#options = options
    this.#lines = new EventLines(options)
  }

  write(body: OutputBody): Promise<void> {
    return this.#host.write(`${JSON.stringify({ ...body, session_id: this.#sessionId, uuid: randomUUID() })}\n`)
  }

  /** Modes change outside of prompts, too. */
  follow(session: Pick<AgentSession, 'onMode'>): this {
    session.onMode = (mode) => void this.write({ type: 'system', subtype: 'status', permissionMode: mode })
    return this
  }

  begin({ cwd, model, tools, mcpServers, mode }: SessionFacts): Promise<void> {
    return this.write({
      ...({ type: 'system', subtype: 'init' } as const),
      ...{ cwd, model, tools, mcp_servers: mcpServers, permissionMode: mode, version },
    })
  }

  async event(event: SessionEvent): Promise<void> {
    for (const line of this.#lines.linesOf(event)) await this.write(line)
    this.#spoken.take(event)
  }

  /** Resolves when the line is written with the message that an agent speaks now. */
  messageTold(agentId: string | undefined): Promise<void> {
    return this.#spoken.told(agentId)
  }

  agentEvent(event: SessionEvent, { agentId, toolUseId }: AgentInfo): void {
    let lines = this.#agents.get(agentId)
    if (lines === undefined) {
      lines = new EventLines({ ...this.#options, hasPartialMessages: false }, { agentId, toolUseId })
      this.#agents.set(agentId, lines)
    }
    for (const line of lines.linesOf(event)) void this.write(line)
    this.#spoken.take(event, agentId)
  }

  end(result: ResultBody): Promise<void> {
    this.#spoken.end()
    return this.write(result)
  }
}

const MAIN = ''

interface Speech {
  readonly ended: Promise<void>
  readonly end: () => void
}

/** Whose message is still being spoken: calls begin before it is whole, and a question has to come after the line with its call. */
export class SpokenMessages {
  readonly #open = new Map<string, Speech>()

  /** To be told of what happens to an agent when its lines have been written. */
  take(event: SessionEvent, agentId = MAIN): void {
    const isWhole = event.type === 'message-added' && event.message.type === 'assistant'
    if (isWhole || event.type === 'message-discarded' || event.type === 'request-started') this.end(agentId)
    if (event.type === 'request-started') this.#open.set(agentId, speech())
  }

  end(agentId = MAIN): void {
    this.#open.get(agentId)?.end()
    this.#open.delete(agentId)
  }

  /** Resolves when the message of the agent is told, and that of the main conversation, which may have started the agent. */
  async told(agentId = MAIN): Promise<void> {
    await Promise.all([this.#open.get(MAIN)?.ended, this.#open.get(agentId)?.ended])
  }
}

function speech(): Speech {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { ended, end: () => end() }
}
