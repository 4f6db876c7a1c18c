import type { TasksPort } from '../../contract/ports/tasks.js'
import type { AgentRuntime, ForkOptions } from '../../contract/runtime.js'
import type { HookRunner } from '../../hooks/create-hook-runner.js'

/** The tool runtime as a session uses it. `HaftRuntime` implements it. */
export interface SessionRuntime extends AgentRuntime {
  /** The hooks of this agent, for events of the conversation. Undefined if none are configured. */
  readonly hooks: HookRunner | undefined
  /** Undefined in the main conversation. */
  readonly agentId: string | undefined
  /** The number of parent agents; 0 in the main conversation. */
  readonly depth: number
  /** The background tasks of all agents. */
  readonly tasks: TasksPort
  /** Runs `work` when fewer than the maximum number of background agents are running. */
  limitBackgroundAgents<T>(work: () => Promise<T>): Promise<T>
  fork(options?: ForkOptions): SessionRuntime
}
