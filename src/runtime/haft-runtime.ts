import type { AttachmentMessage, Message, ToolDefinition, ToolUseBlock } from '../contract/messages.js'
import type { ToolPermissionContext } from '../contract/permission-context.js'
import type { PermissionUpdate } from '../contract/permission-result.js'
import type { ToolRuntime } from '../contract/runtime.js'
import type { Tools } from '../contract/tool.js'
import type { McpServers } from '../mcp/manager/create-mcp-servers.js'
import type { CallRun } from '../orchestration/call-run.js'
import type { ModelEndpoint } from '../tool-search/choose-carrier.js'
import type { AgentState } from './agent-state.js'
import type { PermissionRules } from './permission-rules.js'
import type { AppliedUpdates } from './permission-state.js'
import type { ResultStore } from './result-store.js'
import type { ForkOptions, RunOptions } from './run-options.js'
import type { StartedRun } from './start-run.js'
import type { Deferral } from './tool-disclosure.js'

/** The tools of one agent, ready for its model loop. */
export interface HaftRuntime extends ToolRuntime {
  /** What can be called now, in the order it is sent. */
  readonly pool: Tools
  readonly permissions: ToolPermissionContext
  /** Where the next call starts from; tools can move it. */
  readonly cwd: string
  readonly state: AgentState
  readonly results: ResultStore
  /** The MCP servers of the runtime; undefined where it has none. */
  mcp(): Promise<McpServers | undefined>
  /** Why the run had to end last: the classifier of auto mode gave up and nobody can be asked. */
  readonly stopReason: string | undefined

  run(calls: Iterable<ToolUseBlock> | AsyncIterable<ToolUseBlock>, options?: RunOptions): StartedRun
  /** A message whose calls come one by one; `run` does the same for calls that are at hand. `end` it, or dispose of the runtime. */
  open(options?: RunOptions): CallRun
  /** The tools of the next request: all of them, or without those that are deferred. `endpoint` is where it goes, if not where the options say. */
  definitions(endpoint?: ModelEndpoint): Promise<readonly ToolDefinition[]>
  /** The history as it is sent: what was replaced by a preview stays replaced by the same bytes, and loaded tools are told of as the endpoint takes it. */
  prepareMessages(messages: readonly Message[]): Promise<readonly Message[]>
  /** Makes deferred tools part of every later request. */
  load(names: readonly string[]): void
  /** Takes over the tools that a conversation discovered: to be called with one that is resumed or was compacted. */
  restore(messages: readonly Message[]): void
  /** What the model has to be told of deferred tools before the next request, if anything: an attachment for the conversation. */
  announce(messages: readonly Message[]): Promise<AttachmentMessage | undefined>
  /** Whether a failed request is worth sending again: the endpoint refused what marks deferred tools, and from now on does not get it. */
  fallBack(error: unknown): boolean
  /** Whether tools are deferred, how, and why. */
  readonly deferral: Deferral
  /** Applies what a person decided, for all agents, and saves it. */
  applyUpdates(updates: readonly PermissionUpdate[]): Promise<AppliedUpdates>
  /** Takes over other rules and another mode, as after a change of a settings file. Throws where the mode is refused. */
  setPermissions(permissions: PermissionRules | ToolPermissionContext): void
  /** The runtime of a sub-agent: the same tools, hooks and rules; its own state, denials, results and mode. */
  fork(options?: ForkOptions): HaftRuntime
  /** Ends what runs, with answers, and what was started; a sub-agent ends itself and those below it. */
  dispose(): Promise<void>
}
