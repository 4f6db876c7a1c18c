import type { Model } from '../../contract/model/model.js'
import type { AgentProgress, AgentRequest } from '../../contract/ports/agents.js'
import type { TeamInbox } from '../../contract/ports/teams.js'
import type { SessionRuntime } from '../conversation/session-runtime.js'
import { Spending } from '../conversation/spending.js'
import type { AgentKind } from './agent-kinds.js'
import type { AgentsOptions } from './agents-options.js'

/** Agents at this depth cannot start further ones. */
export const MAX_AGENT_DEPTH = 3

/** The values that an agent passes on to the agents that it starts. */
export interface AgentSetting {
  readonly runtime: SessionRuntime
  readonly model: Model
  readonly system: readonly string[]
  readonly conversationId: string | undefined
  /** The kind of the agent; undefined for the main conversation. */
  readonly kind: AgentKind | undefined
  readonly spending: Spending
  /** The running background agents that this agent started. Its runtime is disposed of after they have ended. */
  readonly background: Set<Promise<unknown>>
}

/** The settings of all agents, by their runtime. */
export class AgentSettings {
  readonly #settings = new WeakMap<SessionRuntime, AgentSetting>()
  readonly #options: AgentsOptions
  readonly #takenIds = new Set<string>()
  readonly #total = new Spending()
  readonly #background = new Set<Promise<unknown>>()

  constructor(options: AgentsOptions) {
    this.#options = options
  }

  /** Returns the setting of the agent with this runtime. An unknown runtime is that of the main conversation. */
  of(runtime: SessionRuntime): AgentSetting {
    const setting = this.#settings.get(runtime)
    if (setting !== undefined) return setting
    const { model, system, conversationId, spending = this.#total } = this.#options.main()
    const background = this.#background
    return { runtime, model, system, conversationId, kind: undefined, spending, background }
  }

  /** Returns an agent id that begins with a name. It is the name itself if no earlier agent of the session has it. */
  takeAgentId(name: string): string {
    const { transcripts } = this.#options
    const isTaken = (id: string) => this.#takenIds.has(id) || transcripts?.hasAgent?.(id) === true
    let agentId = name
    for (let number = 2; isTaken(agentId); number++) agentId = `${name}-${number}`
    this.#takenIds.add(agentId)
    return agentId
  }

  add(setting: AgentSetting): void {
    this.#settings.set(setting.runtime, setting)
  }
}

/** A task for a sub-agent: the request, the kind that runs it, and the agent that asked for it. */
export interface AgentTask {
  readonly request: AgentRequest
  readonly kind: AgentKind
  readonly parent: AgentSetting
  /** Set if the agent is a member of a team. */
  readonly inbox?: TeamInbox
}

/** The state that all agents of a session share. */
export interface AgentsContext {
  readonly options: AgentsOptions
  readonly settings: AgentSettings
}

export interface AgentRunOptions {
  readonly signal: AbortSignal
  readonly onProgress?: (progress: AgentProgress) => void
  /** The id of the agent. Default: a new id. */
  readonly agentId?: string
}
