import { randomUUID } from 'node:crypto'
import type { AgentInfo } from '../../../session/agents/agents-options.js'
import type { SessionEvent } from '../../../session/conversation/session-event.js'
import { version } from '../../../shared/version.js'
import type { AgentSession, Prompt, SessionFacts } from '../../agent-session/agent-session.js'
import type { CommandHost } from '../../io/command.js'
import type { OutputBody, ResultBody } from '../schema/output-schema.js'
import type { PrintOutput } from '../turn/print-output.js'
import { EventLines, type EventLinesOptions } from './event-lines.js'

/** Writes events and results as lines of JSON. */
export class StreamOutput implements PrintOutput {
  readonly #host: Pick<CommandHost, 'write'>
  #options: EventLinesOptions
  #lines: EventLines
  /** Empty until the session is open. */
  #sessionId = ''
  readonly #agents = new Map<string, EventLines>()
  readonly #pendingMessages = new PendingMessages()

  constructor(host: Pick<CommandHost, 'write'>, options: EventLinesOptions) {
    this.#host = host
    this.#options = options
    this.#lines = new EventLines(options)
  }

  write(body: OutputBody): Promise<void> {
    return this.#writeLine({ ...body, session_id: this.#sessionId, uuid: randomUUID() })
  }

  #writeLine(line: object): Promise<void> {
    return this.#host.write(`${JSON.stringify(line)}\n`)
  }

  /** Answers a control request. */
  respond(requestId: string, error: string | undefined, response?: Readonly<Record<string, unknown>>): Promise<void> {
    const responseBody =
      error === undefined
        ? ({ subtype: 'success', request_id: requestId, ...(response !== undefined && { response }) } as const)
        : ({ subtype: 'error', request_id: requestId, error } as const)
    return this.write({ type: 'control_response', response: responseBody })
  }

  /** Uses the id of the session, and writes a line whenever its permission mode changes, also between prompts. */
  open(
    session: Pick<AgentSession, 'id' | 'onMode'>,
    { forwardsAgentText = true }: { readonly forwardsAgentText?: boolean } = {},
  ): this {
    this.#sessionId = session.id
    this.#options = { ...this.#options, forwardsAgentText }
    this.#lines = new EventLines(this.#options)
    session.onMode = (mode) =>
      void this.write({ type: 'system', subtype: 'status', status: null, permissionMode: mode })
    return this
  }

  /** Writes the facts about a session, before each prompt, because they change. */
  async begin(facts: SessionFacts, listCommands: () => Promise<readonly string[]> = async () => []): Promise<void> {
    const { cwd, model, tools, mcpServers, mode, agents, skills, keyVariable } = facts
    await this.write({
      ...({ type: 'system', subtype: 'init' } as const),
      ...{ cwd, model, tools, mcp_servers: mcpServers, permissionMode: mode, version, claude_code_version: version },
      ...{ slash_commands: await listCommands(), agents: agents.map(({ name }) => name), skills, plugins: [] },
      ...{ apiKeySource: keyVariable ?? 'none', output_style: 'default' },
    })
  }

  /** Repeats a prompt with its own uuid. */
  repeatPrompt(prompt: Prompt, uuid: string): Promise<void> {
    const message = { role: 'user', content: prompt }
    const timestamp = new Date().toISOString()
    return this.#writeLine({
      ...{ type: 'user', message, parent_tool_use_id: null, isReplay: true, timestamp },
      ...{ session_id: this.#sessionId, uuid },
    })
  }

  async handleEvent(event: SessionEvent): Promise<void> {
    for (const line of this.#lines.linesOf(event)) await this.write(line)
    this.#pendingMessages.update(event)
  }

  /** Resolves when the current message of an agent has been written. */
  waitForMessage(agentId: string | undefined): Promise<void> {
    return this.#pendingMessages.waitUntilWritten(agentId)
  }

  handleAgentEvent(event: SessionEvent, { agentId, toolUseId }: AgentInfo): void {
    let lines = this.#agents.get(agentId)
    if (lines === undefined) {
      lines = new EventLines({ ...this.#options, hasPartialMessages: false }, { agentId, toolUseId })
      this.#agents.set(agentId, lines)
    }
    for (const line of lines.linesOf(event)) void this.write(line)
    this.#pendingMessages.update(event, agentId)
  }

  end(result: ResultBody): Promise<void> {
    this.#pendingMessages.end()
    return this.write(result)
  }
}

const MAIN_CONVERSATION = ''

interface PendingMessage {
  readonly whenEnded: Promise<void>
  readonly end: () => void
}

/**
 * Tracks incomplete messages. Calls start before their message is complete, but a permission question must follow the
 * line of the message with its call.
 */
class PendingMessages {
  readonly #pending = new Map<string, PendingMessage>()

  /** Updates the pending messages. Must be called after the lines of the event have been written. */
  update(event: SessionEvent, agentId = MAIN_CONVERSATION): void {
    const isComplete = event.type === 'message-added' && event.message.type === 'assistant'
    if (isComplete || event.type === 'message-discarded' || event.type === 'request-started') this.end(agentId)
    if (event.type === 'request-started') this.#pending.set(agentId, createPendingMessage())
  }

  end(agentId = MAIN_CONVERSATION): void {
    this.#pending.get(agentId)?.end()
    this.#pending.delete(agentId)
  }

  /**
   * Resolves when the messages of the agent and of the main conversation, which may have started the agent, have been
   * written.
   */
  async waitUntilWritten(agentId = MAIN_CONVERSATION): Promise<void> {
    await Promise.all([this.#pending.get(MAIN_CONVERSATION)?.whenEnded, this.#pending.get(agentId)?.whenEnded])
  }
}

function createPendingMessage(): PendingMessage {
  let end = () => {}
  const whenEnded = new Promise<void>((resolve) => {
    end = resolve
  })
  return { whenEnded, end: () => end() }
}
