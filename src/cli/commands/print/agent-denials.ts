import type { AgentInfo } from '../../../session/agents/agents-options.js'
import type { SessionEvent } from '../../../session/session-event.js'
import type { ResultBody } from './stream-json/output-schema.js'
import { toldTo } from './told-to.js'

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
