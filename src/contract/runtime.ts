import type { ToolEvent } from './events.js'
import type { AttachmentMessage, Message, ToolDefinition, ToolResultBlock, ToolUseBlock } from './messages.js'
import type { ModelEndpoint } from './model/model.js'
import type { PermissionMode, ToolPermissionContext } from './permission/context.js'
import type { ToolRoles } from './tool/identity.js'
import type { Tools } from './tool/tool.js'

/** The running calls of one model message. Iterate it for events; `results` has the order of the calls. */
export interface ToolRun extends AsyncIterable<ToolEvent> {
  /** Rejects only if the stream of the message failed. */
  readonly results: Promise<readonly ToolResultBlock[]>
  /** Call this when the user sends a message: it cancels interruptible calls. `mustWait` is true if other calls keep running. */
  interrupt(message?: string): { readonly mustWait: boolean }
}

/** Tools for use in any model loop. */
export interface ToolRuntime {
  /**
   * Returns the definitions to send with the next request. Deferred tools (`shouldDefer`, and tools of MCP servers if there are
   * many) are left out until the model has found them with ToolSearch. The model knows their names only if the attachment of
   * `announce` is added to the conversation before each request, so a loop without `announce` should turn deferral off with
   * `toolSearch: { mode: 'false' }`.
   */
  definitions(): Promise<readonly ToolDefinition[]>
  /** Runs the calls of one message. Calls from a stream start as soon as each of them is complete. */
  run(calls: Iterable<ToolUseBlock> | AsyncIterable<ToolUseBlock>, options?: { readonly signal?: AbortSignal }): ToolRun
  /** Ends background work and releases all resources. */
  dispose(): Promise<void>
}

/** Options of `AgentRuntime.run`. */
export interface RunOptions {
  /** Cancels the calls; each of them still gets a result. */
  readonly signal?: AbortSignal
  /** The conversation so far, for tools that read it. */
  readonly messages?: readonly Message[]
  /** Receives the events of this run as they happen. */
  readonly onEvent?: (event: ToolEvent) => void
}

/** A run, with what its calls add to the conversation besides their results. */
export interface StartedRun extends ToolRun {
  /** In call order, after every call has ended; empty if the message was discarded. */
  readonly newMessages: Promise<readonly Message[]>
  /** Why the conversation must end after these calls; undefined if it continues. Resolves after every call has ended. */
  readonly stopped: Promise<RunStop | undefined>
}

/** A run whose calls are added one by one while the model streams its message. */
export interface OpenRun extends Pick<StartedRun, 'results' | 'newMessages' | 'stopped' | 'interrupt'> {
  /** Adds a call, which starts as soon as no earlier call conflicts with it. Throws after `end`; ignored if the run was closed. */
  add(call: ToolUseBlock): void
  /** Call this when no further call will be added. */
  end(): void
}

/** What ended a run: a hook, or auto mode, if the classifier failed or denied too often and there is no user to ask. */
export interface RunStop {
  readonly by: 'hook' | 'permissions'
  /** For the user. */
  readonly reason: string
}

/** Options of a sub-agent's runtime. */
export interface ForkOptions {
  readonly agentId?: string
  /** The working directory. Default: the working directory of the parent. */
  readonly cwd?: string
  /** The conversation to start with; empty if left out. */
  readonly messages?: readonly Message[]
  /** Names the agent in permission questions. */
  readonly agentName?: string
  /** Names of the tools that the sub-agent may use, out of those of its parent; all of them if left out. */
  readonly tools?: readonly string[]
  /** Names of tools that the sub-agent may not use. */
  readonly disallowedTools?: readonly string[]
  /** Gives the sub-agent the tools that its parent lacks because that only delegates. Default: what the parent has. */
  readonly isWorker?: boolean
  /** Removes every tool with one of these roles. */
  readonly withoutRoles?: readonly (keyof ToolRoles)[]
  /** The permission mode of the sub-agent. The mode of the parent applies instead whenever that is stricter. */
  readonly permissionMode?: PermissionMode
  /**
   * Whether the user chose the mode, so that it may be less strict than that of the parent, unless the parent is in plan mode.
   */
  readonly mayLoosenMode?: boolean
  /** A copy of the project, which replaces the project as the only working directory of the sub-agent. */
  readonly isolation?: IsolatedFolder
}

/** A copy of a project, such as a git worktree. */
export interface IsolatedFolder {
  readonly path: string
  /** The folder that was copied. */
  readonly original: string
  /** The shared part of the repository (its `.git` folder), which commands may also write. */
  readonly repository?: string
}

/** The runtime as the model loop of one agent uses it. */
export interface AgentRuntime extends ToolRuntime {
  /** The tools that can be called now, in the order in which they are sent. */
  readonly pool: Tools
  /** The tools that code in the REPL can call: those of the pool, and those that REPL mode hides from the model. */
  readonly nestedPool: Tools
  readonly permissions: ToolPermissionContext
  /** The working directory of the next call. Tools can change it. */
  readonly cwd: string
  /** Why a hook or auto mode last stopped this agent; undefined if it was never stopped. */
  readonly stopReason: string | undefined
  run(calls: Iterable<ToolUseBlock> | AsyncIterable<ToolUseBlock>, options?: RunOptions): StartedRun
  /** Opens a run for the calls of a message that is still being received. */
  openRun(options?: RunOptions): OpenRun
  /**
   * Returns the tools of the next request, without deferred ones unless the endpoint supports them. `endpoint` overrides the
   * one in the options.
   * If tools are deferred, add the attachment of `announce` before each request: without it, the model does not know them.
   */
  definitions(endpoint?: ModelEndpoint): Promise<readonly ToolDefinition[]>
  /**
   * Returns the history as it is sent. A result that was replaced by a preview keeps the same preview, byte for byte, and
   * loaded tools are announced in the form that the endpoint supports.
   */
  prepareMessages(messages: readonly Message[]): Promise<readonly Message[]>
  /** Restores the tools that a resumed or compacted conversation has discovered. */
  restore(messages: readonly Message[]): void
  /** Returns an attachment that announces changes to the deferred tools, to add before the next request. */
  announce(messages: readonly Message[]): Promise<AttachmentMessage | undefined>
  /**
   * Whether to send a failed request again: true if the endpoint rejected the markers of deferred tools. Later requests
   * omit these markers.
   */
  fallBack(error: unknown): boolean
  /** Creates the runtime of a sub-agent: same tools, hooks and rules; separate state, denials, results and mode. */
  fork(options?: ForkOptions): AgentRuntime
}
