import type { TasksPort } from '../../contract/ports/tasks.js'
import type { TeamsPort } from '../../contract/ports/teams.js'
import type { AgentRuntime, ForkOptions } from '../../contract/runtime.js'
import type { McpClientState } from '../../contract/tool/context.js'
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
  /** The team of the session; undefined if there are no teams here. */
  readonly teams: TeamsPort | undefined
  /** Returns the states of the MCP servers, with their instructions. */
  mcpClients?(): readonly McpClientState[]
  /** Runs `work` when fewer than the maximum number of background agents are running. */
  limitBackgroundAgents<T>(work: () => Promise<T>): Promise<T>
  /** Adds deferred tools to every later request. */
  load(names: readonly string[]): void
  fork(options?: ForkOptions): SessionRuntime
}
