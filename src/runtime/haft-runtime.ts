import type { CallRun } from '../calls/call-run.js'
import type { PermissionDecided } from '../contract/events.js'
import type { DenialTracking, ToolDecision } from '../contract/host/host-state.js'
import type { ToolPermissionContext } from '../contract/permission/context.js'
import type { PermissionUpdate } from '../contract/permission/result.js'
import type { LspServerStatus } from '../contract/ports/lsp.js'
import type { ReadFileState } from '../contract/ports/read-file-state.js'
import type { StatePort } from '../contract/ports/state.js'
import type { TaskBoardPort } from '../contract/ports/task-board.js'
import type { TasksPort } from '../contract/ports/tasks.js'
import type { TeamsPort } from '../contract/ports/teams.js'
import type { SessionWorktree } from '../contract/ports/worktrees.js'
import type { AgentRuntime, ForkOptions, RunOptions } from '../contract/runtime.js'
import type { McpClientState } from '../contract/tool/context.js'
import type { HookRunner } from '../hooks/create-hook-runner.js'
import type { McpServers } from '../mcp/manager/create-mcp-servers.js'
import type { PermissionRules } from './permissions/permission-rules.js'
import type { AppliedUpdates } from './permissions/permission-state.js'
import type { ResultStore } from './result-store.js'
import type { Deferral } from './tools/tool-disclosure.js'

/** The tools of one agent, ready for its model loop. */
export interface HaftRuntime extends AgentRuntime {
  /** Undefined for the main agent. */
  readonly agentId: string | undefined
  /** The number of ancestors of this agent. */
  readonly depth: number
  readonly state: AgentState
  /** The state of the files that this agent has read or written. Save it to resume the conversation later. */
  readonly readFiles: ReadFileState | undefined
  readonly results: ResultStore
  /** The hooks with the session fields of this agent, for events of the conversation; undefined if there are none. */
  readonly hooks: HookRunner | undefined
  /** The git worktree that the main agent has entered; undefined in the project itself. */
  readonly worktree: SessionWorktree | undefined
  /** Enters a worktree of an earlier session by its name. Rejects if it no longer exists. */
  reenterWorktree(name: string): Promise<void>
  /** Background tasks of all agents. */
  readonly tasks: TasksPort
  /** The task board of the project; undefined if there is none. */
  readonly taskBoard: TaskBoardPort | undefined
  /** The team of this session; undefined if there are no teams here. */
  readonly teams: TeamsPort | undefined
  /** Returns the state of the language servers that this runtime has started. */
  languageServers(): Promise<readonly LspServerStatus[]>
  /** Runs the work of a background sub-agent as soon as the limit of concurrent ones allows it. */
  limitBackgroundAgents<T>(work: () => Promise<T>): Promise<T>
  /** Returns the MCP servers of the runtime; undefined if it has none. */
  mcp(): Promise<McpServers | undefined>
  /** Returns the states of these servers, without starting them. */
  mcpClients(): readonly McpClientState[]
  /** Opens a message whose calls are added one by one; use `run` if all calls are known. Call `end` on it, or dispose of the runtime. */
  open(options?: RunOptions): CallRun
  /** Announces that a call of this tool is likely, so that its ports are loaded in advance. Runs nothing. */
  expectCall(toolName: string): void
  /** Adds deferred tools to every later request. */
  load(names: readonly string[]): void
  /** Whether, how and why tools are deferred. */
  readonly deferral: Deferral
  /** Applies permission updates of the user to all agents, and saves them. */
  applyUpdates(updates: readonly PermissionUpdate[]): Promise<AppliedUpdates>
  /** Replaces the rules and the mode, for example after a settings file has changed. Throws if the mode is refused. */
  setPermissions(permissions: PermissionRules | ToolPermissionContext): void
  fork(options?: ForkOptions): HaftRuntime
  /** Cancels running calls, which still get their results, and stops everything that was started. For a sub-agent: only its own calls and those of its descendants. */
  dispose(): Promise<void>
}

/** The state of one agent. A sub-agent has its own; only the state of background tasks is stored in the root agent. */
export interface AgentState {
  readonly port: StatePort
  /** Denials by the classifier of auto mode. */
  readonly denials: DenialTracking
  /** The decisions about recent calls with their reasons, by the id of the call. */
  readonly toolDecisions: ReadonlyMap<string, ToolDecision>
  recordDecision(decision: Pick<PermissionDecided, 'toolUseId' | 'behavior' | 'reason'>): void
  /** Tells the state port that a call runs, and whether a message of the user may interrupt it. */
  beginCall(toolUseId: string, isInterruptible: boolean): void
  endCall(toolUseId: string): void
  fork(): AgentState
}
