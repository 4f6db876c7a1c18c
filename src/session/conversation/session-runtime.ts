import type { TasksPort } from '../../contract/ports/tasks.js'
import type { AgentRuntime, ForkOptions } from '../../contract/runtime.js'
import type { HookRunner } from '../../hooks/create-hook-runner.js'

/** What a session needs of the tools: a `HaftRuntime` is one. */
export interface SessionRuntime extends AgentRuntime {
  /** The hooks as this agent runs them, for events of the conversation; undefined where there are none. */
  readonly hooks: HookRunner | undefined
  /** Left out in the main conversation. */
  readonly agentId: string | undefined
  /** How many agents are above this one. */
  readonly depth: number
  /** Background work, also of other agents. */
  readonly tasks: TasksPort
  /** Waits for a place among the sub-agents in the background that there may be at once. */
  limitBackgroundAgents<T>(work: () => Promise<T>): Promise<T>
  fork(options?: ForkOptions): SessionRuntime
}
