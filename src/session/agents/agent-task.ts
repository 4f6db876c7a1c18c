import type { AgentProgress, AgentRequest } from '../../contract/ports/agents.js'
import type { AgentKind } from './agent-kind.js'
import type { AgentSetting, AgentSettings } from './agent-setting.js'
import type { AgentsOptions } from './agents-options.js'

/** What is to be done, by what kind of agent, for whom. */
export interface AgentTask {
  readonly request: AgentRequest
  readonly kind: AgentKind
  readonly parent: AgentSetting
}

export interface AgentsAround {
  readonly options: AgentsOptions
  readonly settings: AgentSettings
}

export interface AgentHow {
  readonly signal: AbortSignal
  readonly onProgress?: (progress: AgentProgress) => void
  /** Made here if left out. */
  readonly agentId?: string
}
