import type { ToolEvent } from './events.js'
import type { AttachmentMessage, Message, ToolDefinition, ToolResultBlock, ToolUseBlock } from './messages.js'
import type { ModelEndpoint } from './model/model.js'
import type { PermissionMode, ToolPermissionContext } from './permission/context.js'
import type { ToolRoles } from './tool/identity.js'
import type { Tools } from './tool/tool.js'

/** The calls of one model message under way: the events as they happen, the results in the order of the calls. */
export interface ToolRun extends AsyncIterable<ToolEvent> {
  /** Rejects only where the message itself broke off. */
  readonly results: Promise<readonly ToolResultBlock[]>
  /** The user speaks up: calls that may be cancelled are. Tells whether the user's message has to wait for others. */
  interrupt(message?: string): { readonly mustWait: boolean }
}

/** Tools ready for any model loop. */
export interface ToolRuntime {
  definitions(): Promise<readonly ToolDefinition[]>
  /** Calls that come from a stream start as soon as each is complete. */
  run(calls: Iterable<ToolUseBlock> | AsyncIterable<ToolUseBlock>, options?: { readonly signal?: AbortSignal }): ToolRun
  dispose(): Promise<void>
}

export interface RunOptions {
  /** Cancels the calls; each still gets its result. */
  readonly signal?: AbortSignal
  /** The conversation so far, for tools that look at it. */
  readonly messages?: readonly Message[]
  /** Receives the events of this run as they happen. */
  readonly onEvent?: (event: ToolEvent) => void
}

/** A run, and what its calls add to the conversation beside their results. */
export interface StartedRun extends ToolRun {
  /** In call order, once every call has ended; empty where the message was discarded. */
  readonly newMessages: Promise<readonly Message[]>
  /** Why the conversation is to end after these calls, if it is; told once every call has ended. */
  readonly stopped: Promise<RunStop | undefined>
}

/** A run whose calls are added one by one, while the model still streams its message. */
export interface OpenRun extends Pick<StartedRun, 'results' | 'newMessages' | 'stopped' | 'interrupt'> {
  /** The call starts as soon as no call before it is in its way. Ignored once the run has ended. */
  add(call: ToolUseBlock): void
  /** No further call is added. */
  end(): void
}

/** Who ended a run: a hook, or the classifier of auto mode, which gave up while nobody could be asked. */
export interface RunStop {
  readonly by: 'hook' | 'permissions'
  /** For the user. */
  readonly reason: string
}

export interface ForkOptions {
  readonly agentId?: string
  /** Where the sub-agent works; where its parent does if left out. */
  readonly cwd?: string
  /** The conversation that the sub-agent begins with; none if left out. */
  readonly messages?: readonly Message[]
  /** What kind of agent it is, for the person whom it asks. */
  readonly agentName?: string
  /** Names of the only tools that there are for it, of those that its parent has; all of them if left out. */
  readonly tools?: readonly string[]
  /** Names of tools that there are not for it. */
  readonly disallowedTools?: readonly string[]
  /** Leaves out every tool that has one of these roles. */
  readonly withoutRoles?: readonly (keyof ToolRoles)[]
  /** Its mode as far as that is stricter than the mode of its parent, now and later. */
  readonly permissionMode?: PermissionMode
  /** The mode is the user's own word and holds though it is looser, unless the parent plans. */
  readonly mayLoosenMode?: boolean
  /** A copy of the project that it works in: its only working directory in place of the project. */
  readonly isolation?: IsolatedFolder
}

export interface IsolatedFolder {
  readonly path: string
  /** The folder that it is a copy of. */
  readonly original: string
  /** Where the repository keeps what all its copies share; commands may write there, too. */
  readonly repository?: string
}

/** What the loop of one agent needs of its tools. */
export interface AgentRuntime extends ToolRuntime {
  /** What can be called now, in the order it is sent. */
  readonly pool: Tools
  readonly permissions: ToolPermissionContext
  /** Where the next call starts from; tools can move it. */
  readonly cwd: string
  /** Why the run had to end last: the classifier of auto mode gave up and nobody can be asked. */
  readonly stopReason: string | undefined
  run(calls: Iterable<ToolUseBlock> | AsyncIterable<ToolUseBlock>, options?: RunOptions): StartedRun
  /** Opens a run for the calls of a message that is still being received. */
  openRun(options?: RunOptions): OpenRun
  /** The tools of the next request: all of them, or without those that are deferred. `endpoint` is where it goes, if not where the options say. */
  definitions(endpoint?: ModelEndpoint): Promise<readonly ToolDefinition[]>
  /** The history as it is sent: what was replaced by a preview stays replaced by the same bytes, and loaded tools are told of as the endpoint takes it. */
  prepareMessages(messages: readonly Message[]): Promise<readonly Message[]>
  /** Takes over the tools that a conversation discovered: to be called with one that is resumed or was compacted. */
  restore(messages: readonly Message[]): void
  /** What the model has to be told of deferred tools before the next request, if anything: an attachment for the conversation. */
  announce(messages: readonly Message[]): Promise<AttachmentMessage | undefined>
  /** Whether a failed request is worth sending again: the endpoint refused what marks deferred tools, and from now on does not get it. */
  fallBack(error: unknown): boolean
  /** The runtime of a sub-agent: the same tools, hooks and rules; its own state, denials, results and mode. */
  fork(options?: ForkOptions): AgentRuntime
}
