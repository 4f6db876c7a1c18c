import type { ToolEvent } from '../../../contract/events.js'
import type { AssistantMessage, ToolResultBlock, ToolUseBlock, UserMessage } from '../../../contract/messages.js'
import type { StopReason } from '../../../contract/model/model.js'
import type { AgentInfo } from '../../../session/agents/agents-options.js'
import type { QueryEnd, SessionEvent } from '../../../session/conversation/session-event.js'
import { cutText } from '../../../shared/cut-text.js'
import type { ResultBody } from '../schema/output-schema.js'

export interface TurnCalls {
  /** The ids of the calls with the latest results. */
  readonly lastResultIds: readonly string[]
}

interface FailedCall {
  readonly input?: unknown
  readonly message?: string
}

/** Collects times, failed calls and denials of a running prompt. */
export class TurnRecord {
  readonly #ignoredTools: ReadonlySet<string>
  readonly #now: () => number
  readonly #startedAt: number
  #requestAt: number | undefined
  #apiMs = 0
  /** The calls of the latest assistant message. */
  #lastCalls: ReadonlyMap<string, ToolUseBlock> = new Map()
  readonly #failedCalls = new Map<string, FailedCall>()
  #lastResultIds: readonly string[] = []
  #stopReason: StopReason | undefined

  readonly #inwardDenials = new InnerDenials()

  /** @param ignoredTools tools that only return the structured answer; their results do not affect the exit code */
  constructor(ignoredTools: ReadonlySet<string> = new Set(), now: () => number = readUptimeMs) {
    this.#ignoredTools = ignoredTools
    this.#now = now
    this.#startedAt = now()
  }

  handleEvent(event: SessionEvent): void {
    if (event.type === 'tool-event') this.#handleNested(event)
    if (event.type === 'request-started') this.#requestAt = this.#now()
    if (event.type === 'message-discarded') this.#endRequest()
    if (event.type === 'model-event' && event.event.type === 'message-ended') this.#stopReason = event.event.stopReason
    if (event.type !== 'message-added') return
    if (event.message.type === 'assistant') {
      this.#endRequest()
      this.#noteCalls(event.message)
    }
    if (event.message.type === 'user') this.#noteResults(event.message)
  }

  handleAgentEvent(event: SessionEvent, agent: AgentInfo): void {
    if (event.type === 'tool-event') this.#inwardDenials.handleEvent(event.event, agent.agentId)
  }

  #handleNested({ event }: Extract<SessionEvent, { type: 'tool-event' }>): void {
    if (event.type !== 'mode-entered' && event.parentToolUseId !== undefined) this.#inwardDenials.handleEvent(event)
  }

  get durationMs(): number {
    return Math.round(this.#now() - this.#startedAt)
  }

  get apiMs(): number {
    return Math.round(this.#apiMs)
  }

  /** Why the model ended its last message; undefined if it sent none. */
  get stopReason(): StopReason | undefined {
    return this.#stopReason
  }

  get calls(): TurnCalls {
    return { lastResultIds: this.#lastResultIds }
  }

  /** Returns undefined for a call that did not fail. */
  inputOf(toolUseId: string): unknown {
    return this.#failedCalls.get(toolUseId)?.input
  }

  /** Returns the denials of the conversation in call order, then those of nested calls and of sub-agents. */
  denials(end: QueryEnd) {
    const ownDenials = end.denials.map(({ toolUseId, toolName, reason }) => {
      const { input = {}, ...message } = this.#failedCalls.get(toolUseId) ?? {}
      return { tool_name: toolName, tool_use_id: toolUseId, tool_input: input, reason, ...message }
    })
    return [...ownDenials, ...this.#inwardDenials.list]
  }

  #endRequest(): void {
    if (this.#requestAt !== undefined) this.#apiMs += this.#now() - this.#requestAt
    this.#requestAt = undefined
  }

  #noteCalls({ content }: AssistantMessage): void {
    this.#lastCalls = new Map(
      content.flatMap((block) => (block.type === 'tool_use' ? [[block.id, block] as const] : [])),
    )
  }

  #noteResults({ content }: UserMessage): void {
    if (typeof content === 'string') return
    const results = content.filter((block) => block.type === 'tool_result')
    if (results.length === 0) return
    const nameOf = (id: string) => this.#lastCalls.get(id)?.name ?? ''
    const ids = results.map((block) => block.tool_use_id).filter((id) => !this.#ignoredTools.has(nameOf(id)))
    if (ids.length > 0) this.#lastResultIds = ids
    // Only failed calls are kept, because inputs and results can be large.
    for (const result of results) {
      const { tool_use_id: id, is_error } = result
      if (is_error === true) this.#failedCalls.set(id, { input: this.#lastCalls.get(id)?.input, ...messageOf(result) })
    }
  }
}

/** Returns the time of a monotonic clock. `performance` would load another part of Node at every start. */
function readUptimeMs(): number {
  return process.uptime() * 1000
}

type Denial = ResultBody['permission_denials'][number]

/** Collects denied calls that no message of the main conversation contains: those of sub-agents, and nested ones. */
class InnerDenials {
  /** Running calls by agent and call id, because different agents may use the same call ids. */
  readonly #calls = new Map<string, Pick<Denial, 'tool_name' | 'tool_input'>>()
  readonly #denials = new Map<string, Denial>()

  get list(): readonly Denial[] {
    return [...this.#denials.values()]
  }

  handleEvent(toolEvent: ToolEvent, agentId?: string): void {
    if (toolEvent.type === 'mode-entered') return
    const key = `${agentId ?? ''} ${toolEvent.toolUseId}`
    if (toolEvent.type === 'call-queued')
      this.#calls.set(key, { tool_name: toolEvent.toolName, tool_input: toolEvent.input })
    if (toolEvent.type === 'permission-decided' && toolEvent.behavior === 'deny') {
      const { tool_name = '', tool_input = {} } = this.#calls.get(key) ?? {}
      const { text: reason } = toolEvent.reason
      const agent = agentId === undefined ? {} : { agent_id: agentId }
      this.#denials.set(key, { tool_name, tool_use_id: toolEvent.toolUseId, ...agent, tool_input, reason })
    }
    if (toolEvent.type !== 'call-ended') return
    this.#calls.delete(key)
    const denial = this.#denials.get(key)
    if (denial !== undefined) this.#denials.set(key, { ...denial, ...messageOf(toolEvent.result) })
  }
}

const MAX_MESSAGE_CHARS = 2_000

/** Returns the message to the model about a refused call, which explains how to allow it. */
function messageOf({ content }: Pick<ToolResultBlock, 'content'>): { readonly message?: string } {
  return typeof content === 'string' ? { message: cutText(content, MAX_MESSAGE_CHARS) } : {}
}
