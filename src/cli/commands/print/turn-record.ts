import type { AssistantMessage, ToolUseBlock, UserMessage } from '../../../contract/messages.js'
import type { AgentInfo } from '../../../session/agents/agents-options.js'
import type { QueryEnd, SessionEvent } from '../../../session/session-event.js'
import { AgentDenials } from './agent-denials.js'
import type { TurnCalls } from './exit-code.js'
import { toldTo } from './told-to.js'

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
