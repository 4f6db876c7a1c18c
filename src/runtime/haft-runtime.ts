import type { CallRun } from '../calls/call-run.js'
import type { ToolPermissionContext } from '../contract/permission/context.js'
import type { PermissionUpdate } from '../contract/permission/result.js'
import type { ReadFileState } from '../contract/ports/read-file-state.js'
import type { TasksPort } from '../contract/ports/tasks.js'
import type { AgentRuntime, ForkOptions, RunOptions } from '../contract/runtime.js'
import type { HookRunner } from '../hooks/create-hook-runner.js'
import type { McpServers } from '../mcp/manager/create-mcp-servers.js'
import type { AgentState } from './agent-state.js'
import type { PermissionRules } from './permissions/permission-rules.js'
import type { AppliedUpdates } from './permissions/permission-state.js'
import type { ResultStore } from './result-store.js'
import type { Deferral } from './tools/tool-disclosure.js'

/** The tools of one agent, ready for its model loop. */
export interface HaftRuntime extends AgentRuntime {
  /** Left out in the main conversation. */
  readonly agentId: string | undefined
  /** How many agents are above this one. */
  readonly depth: number
  readonly state: AgentState
  /** What this agent knows of files it read or wrote, for whoever keeps it between runs. */
  readonly readFiles: ReadFileState | undefined
  readonly results: ResultStore
  /** The hooks as this agent runs them, for events of the conversation; undefined where there are none. */
  readonly hooks: HookRunner | undefined
  /** Background work, also of other agents. */
  readonly tasks: TasksPort
  /** Waits for a place among the sub-agents in the background that there may be at once. */
  limitBackgroundAgents<T>(work: () => Promise<T>): Promise<T>
  /** The MCP servers of the runtime; undefined where it has none. */
  mcp(): Promise<McpServers | undefined>
  /** A message whose calls come one by one; `run` does the same for calls that are at hand. `end` it, or dispose of the runtime. */
  open(options?: RunOptions): CallRun
  /** A call of this tool may come: what it needs is made ready. Nothing of it is run. */
  expectCall(toolName: string): void
  /** Makes deferred tools part of every later request. */
  load(names: readonly string[]): void
  /** Whether tools are deferred, how, and why. */
  readonly deferral: Deferral
  /** Applies what a person decided, for all agents, and saves it. */
  applyUpdates(updates: readonly PermissionUpdate[]): Promise<AppliedUpdates>
  /** Takes over other rules and another mode, as after a change of a settings file. Throws where the mode is refused. */
  setPermissions(permissions: PermissionRules | ToolPermissionContext): void
  fork(options?: ForkOptions): HaftRuntime
  /** Ends what runs, with answers, and what was started; a sub-agent ends itself and those below it. */
  dispose(): Promise<void>
}
