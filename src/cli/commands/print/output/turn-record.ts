import type { AssistantMessage, ToolResultBlock, ToolUseBlock, UserMessage } from '../../../../contract/messages.js'
import type { AgentInfo } from '../../../../session/agents/agents-options.js'
import type { QueryEnd, SessionEvent } from '../../../../session/conversation/session-event.js'
import type { ResultBody } from '../schema/output-schema.js'

export interface TurnCalls {
  /** The ids of the calls whose results the model read last. */
  readonly lastAnswered: readonly string[]
}

interface FailedCall {
  readonly input?: unknown
  readonly message?: string
}

/** What is noted of one prompt while it is worked on, beside what its end says. */
export class TurnRecord {
  readonly #ignored: ReadonlySet<string>
  readonly #now: () => number
  readonly #startedAt: number
  #requestAt: number | undefined
  #apiMs = 0
  /** Calls of the last message that made some, and what each was called with. */
  #lastCalls: ReadonlyMap<string, ToolUseBlock> = new Map()
  readonly #failed = new Map<string, FailedCall>()
  #lastAnswered: readonly string[] = []

  readonly #ofAgents = new AgentDenials()

  /** `ignored` are tools that only hand over the answer: their results say nothing of permissions. */
  constructor(ignored: ReadonlySet<string> = new Set(), now: () => number = uptimeMs) {
    this.#ignored = ignored
    this.#now = now
    this.#startedAt = now()
  }

  take(event: SessionEvent): void {
    if (event.type === 'request-started') this.#requestAt = this.#now()
    if (event.type === 'message-discarded') this.#requestEnded()
    if (event.type !== 'message-added') return
    if (event.message.type === 'assistant') {
      this.#requestEnded()
      this.#noteCalls(event.message)
    }
    if (event.message.type === 'user') this.#noteResults(event.message)
  }

  takeAgent(event: SessionEvent, agent: AgentInfo): void {
    this.#ofAgents.take(event, agent)
  }

  get durationMs(): number {
    return Math.round(this.#now() - this.#startedAt)
  }

  get apiMs(): number {
    return Math.round(this.#apiMs)
  }

  /** Those calls whose results came last. */
  get calls(): TurnCalls {
    return { lastAnswered: this.#lastAnswered }
  }

  /** Of a call that failed. */
  inputOf(toolUseId: string): unknown {
    return this.#failed.get(toolUseId)?.input
  }

  /** Of the conversation in the order of its calls, and behind them those of sub-agents. */
  denials(end: QueryEnd) {
    const own = end.denials.map(({ toolUseId, toolName, reason }) => {
      const { input = {}, ...told } = this.#failed.get(toolUseId) ?? {}
      return { tool_name: toolName, tool_use_id: toolUseId, tool_input: input, reason, ...told }
    })
    return [...own, ...this.#ofAgents.all]
  }

  #requestEnded(): void {
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
    const ids = results.map((block) => block.tool_use_id).filter((id) => !this.#ignored.has(nameOf(id)))
    if (ids.length > 0) this.#lastAnswered = ids
    // Kept only of calls that failed: inputs and results can be as large as files.
    for (const result of results) {
      const { tool_use_id: id, is_error } = result
      if (is_error === true) this.#failed.set(id, { input: this.#lastCalls.get(id)?.input, ...toldTo(result) })
    }
  }
}

/** A monotonic clock. `performance` would load another part of Node at every start. */
function uptimeMs(): number {
  return process.uptime() * 1000
}

type Denial = ResultBody['permission_denials'][number]

/** Calls of sub-agents that were not permitted: the main conversation may never hear of them. */
export class AgentDenials {
  /** Calls under way; ids of different agents may be the same. */
  readonly #calls = new Map<string, Pick<Denial, 'tool_name' | 'tool_input'>>()
  readonly #denials = new Map<string, Denial>()

  get all(): readonly Denial[] {
    return [...this.#denials.values()]
  }

  take(event: SessionEvent, { agentId }: AgentInfo): void {
    if (event.type !== 'tool-event' || event.event.type === 'mode-entered') return
    const told = event.event
    const key = `${agentId} ${told.toolUseId}`
    if (told.type === 'call-queued') this.#calls.set(key, { tool_name: told.toolName, tool_input: told.input })
    if (told.type === 'permission-decided' && told.behavior === 'deny') {
      const { tool_name = '', tool_input = {} } = this.#calls.get(key) ?? {}
      const { text: reason } = told.reason
      this.#denials.set(key, { tool_name, tool_use_id: told.toolUseId, agent_id: agentId, tool_input, reason })
    }
    if (told.type !== 'call-ended') return
    this.#calls.delete(key)
    const denial = this.#denials.get(key)
    if (denial !== undefined) this.#denials.set(key, { ...denial, ...toldTo(told.result) })
  }
}

const MAX_TOLD_CHARS = 2_000

/** What the model was told of a call that was refused; how to allow it is a part of that. */
export function toldTo({ content }: Pick<ToolResultBlock, 'content'>): { readonly message?: string } {
  return typeof content === 'string' ? { message: content.slice(0, MAX_TOLD_CHARS) } : {}
}
