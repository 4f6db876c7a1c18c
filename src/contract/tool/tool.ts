import type { MaybePromise } from '../../shared/maybe-promise.js'
import type { CommandAnalysis, CommandLine } from '../command.js'
import type { MessageToUser } from '../events.js'
import type { AssistantMessage, McpMeta, Message, ToolResultBlock } from '../messages.js'
import type { ToolPermissionContext } from '../permission/context.js'
import type { PermissionResult } from '../permission/result.js'
import type { PortName } from '../ports/index.js'
import type { WorkEnd } from '../ports/tasks.js'
import type { ToolResources } from '../resources.js'
import type { InferOutput, JsonSchema, ObjectSchema, StandardSchema } from '../schema.js'
import type { AgentDefinition, CanUseToolFunction, ContextModifier, CoreContext, LayeredContext } from './context.js'
import type { ToolIdentity, ToolLoading, ToolRoles } from './identity.js'
import type { ToolViews } from './views.js'

/**
 * A tool that a model can call. One flat structural type, composed of a small interface for each concern. `Input` is a
 * schema that yields an object, `Output` is what `call` returns, `Progress` is what it reports while it runs, and `Needs`
 * are the ports it uses.
 */
export interface Tool<
  Input extends ObjectSchema = ObjectSchema<any>,
  Output = any,
  Progress = any,
  Needs extends PortName = never,
> extends ToolIdentity,
    ToolSchemas<Input, Output>,
    ToolExecution<InferOutput<Input>, Output, Progress, Needs>,
    ToolPermission<InferOutput<Input>, Needs>,
    ToolBehaviour<InferOutput<Input>>,
    ToolScheduling<InferOutput<Input>>,
    ToolLoading,
    ToolRoles,
    ToolObservedInput<InferOutput<Input>>,
    ToolViews<InferOutput<Input>, Output, Progress>,
    ToolSerialisation<Output> {}

/** Tools with any types of input, output and progress. */
export type Tools = readonly Tool[]

/** The context of a call: the core, plus the ports that the tool lists in `needs`. */
export type ToolContext<Needs extends PortName = never> = LayeredContext<Tool, Needs>
/** The part of the context that every call gets. */
export type ToolCoreContext = CoreContext<Tool>
/** Asks for permission to make a nested call of a tool. */
export type CanUseTool = CanUseToolFunction<Tool>

/** The schemas of a tool's input and output. */
export interface ToolSchemas<Input extends ObjectSchema, Output> {
  readonly inputSchema: Input
  /** JSON Schema from a protocol such as MCP, sent and checked unchanged. */
  readonly inputJSONSchema?: JsonSchema
  /** The schema of the output; any value if left out. */
  readonly outputSchema?: StandardSchema<any, Output>
}

/** How a tool is described to the model and run. */
export interface ToolExecution<Args, Output, Progress, Needs extends PortName> {
  call(
    args: Args,
    context: ToolContext<Needs>,
    canUseTool: CanUseTool,
    parentMessage: AssistantMessage,
    onProgress?: (progress: Progress) => void,
  ): Promise<ToolResult<Output>>
  /** Describes the call in a few words. May depend on the input. */
  description(input: Args, options: DescriptionOptions): MaybePromise<string>
  /** Returns the usage text that the model reads. May depend on permissions. A function without parameters is called once. */
  prompt(options: PromptOptions): MaybePromise<string>
}

/** The return value of `call`. */
export interface ToolResult<Output> {
  readonly data: Output
  readonly newMessages?: readonly Message[]
  readonly contextModifier?: ContextModifier<Tool>
  /** Called when the model gets this result unchanged: neither cancelled nor truncated nor replaced by a hook. */
  readonly onShown?: () => void
  /** Set if the call continues in the background. Its changes are recorded when the promise resolves. */
  readonly backgroundWork?: Promise<WorkEnd>
  /** A message or files for the user. It is shown when the call has succeeded. */
  readonly userMessage?: MessageToUser
  readonly mcpMeta?: McpMeta
}

/** The session state on which a description may depend. */
export interface DescriptionOptions {
  readonly isNonInteractiveSession: boolean
  readonly toolPermissionContext: ToolPermissionContext
  readonly tools: Tools
}

/** The session state on which a prompt may depend. */
export interface PromptOptions {
  readonly toolPermissionContext: ToolPermissionContext
  readonly tools: Tools
  readonly agentDefinitions: readonly AgentDefinition[]
}

/** Checks of the input, and the values that permission rules are compared with. */
export interface ToolPermission<Args, Needs extends PortName> {
  /** Checks conditions that the schema cannot express. */
  validateInput?(input: Args, context: ToolContext<Needs>): MaybePromise<ValidationResult>
  checkPermissions(input: Args, context: ToolContext<Needs>): MaybePromise<PermissionResult<Args>>
  /** The path that the call is about, if there is exactly one. */
  getPath?(input: Args): string
  /** The web page that the call is about, for rules such as `domain:example.com`; by default the `url` of the input. */
  getWebTarget?(input: Args, context: ToolContext<Needs>): MaybePromise<WebTarget | undefined>
  /**
   * Whether calls read unnamed files only through `files.glob` and `search`, which omit files that deny or ask rules cover.
   * Such a call may search a folder that contains restricted files.
   */
  readonly omitsRestrictedFiles?: boolean
  /**
   * Compiles the input once and returns a test for the content of rules and hook conditions. With it, the rule
   * `Deploy(production)` can cover some calls of a tool:
   * `preparePermissionMatcher: ({ to }) => (content) => content === to`.
   * Without it, rules with content are compared only with the command, paths and web page of a call. A deny or ask rule that
   * can be compared with nothing counts for the whole tool.
   */
  preparePermissionMatcher?(input: Args, command?: CommandAnalysis): MaybePromise<(ruleContent: string) => boolean>
}

/** A web page that a call reads or acts on. */
export interface WebTarget {
  readonly url: string
  /** An action that a rule must name to allow it: `evaluate:domain:example.com`. A rule without an action does not allow it. */
  readonly action?: string | undefined
}

/** Whether `validateInput` accepts the input. If it does not, the model gets the message. */
export type ValidationResult =
  | { readonly result: true }
  | { readonly result: false; readonly message: string; readonly errorCode: number }

/**
 * How calls behave, for scheduling, permissions and interruption. Predicates of a tool with `command` also get the
 * analysis of that command. If the analysis is missing, they must return the safe answer.
 */
export interface ToolBehaviour<Args> {
  isEnabled(): boolean
  isReadOnly(input: Args, command?: CommandAnalysis): boolean
  isConcurrencySafe(input: Args, command?: CommandAnalysis): boolean
  isDestructive(input: Args, command?: CommandAnalysis): boolean
  isOpenWorld?(input: Args, command?: CommandAnalysis): boolean
  /**
   * The command that a call runs; undefined if it runs none. It is analysed once, and permission rules for commands are
   * compared with it. If a tool with the `shell` port does not state the command, the call counts as an unknown command.
   */
  command?(input: Args): CommandLine | undefined
  /** Whether a call does nothing but run its `command`, so that permission depends only on the analysis of that command. */
  readonly runsOnlyItsCommand?: true
  /**
   * The URL of a call that does nothing but connect to it: the call runs no command and uses no files. `domain:…` rules
   * are compared with it. Undefined for any other call. Without this member, they are compared with the input `url`.
   */
  connectsOnlyTo?(input: Args): string | undefined
  /**
   * Whether a call acts only through nested calls, which are decided separately. Permission ignores its resources, and plan
   * mode does not deny it.
   */
  readonly makesOnlyNestedCalls?: true
  /** What happens to a running call when the user sends a message; `block` by default. */
  interruptBehavior?(): 'cancel' | 'block'
  requiresUserInteraction?(): boolean
  isSearchOrReadCommand?(input: Args): {
    readonly isSearch: boolean
    readonly isRead: boolean
    readonly isList?: boolean
  }
  /** Whether the call only wraps other calls, which are displayed instead. */
  isTransparentWrapper?(): boolean
  /** Whether the provider enforces the schema. Inputs are then not repaired. */
  readonly strict?: boolean
}

/** The ports, the resources and the time limit of calls. */
export interface ToolScheduling<Args> {
  /** The ports that the call uses. */
  readonly needs?: readonly PortName[]
  /** What the call reads and writes: for scheduling, checkpoints, and permissions if `getPath` is not enough. */
  resources?(input: Args, command?: CommandAnalysis): ToolResources
  timeoutMs?(input: Args): number
}

/** The input as hooks and permission checks see it. */
export interface ToolObservedInput<Args> {
  /** Adds derived or legacy fields to the copy for hooks and permission checks. `call` never gets them. */
  backfillObservableInput?(input: Record<string, unknown>): void
  inputsEquivalent?(a: Args, b: Args): boolean
}

/** How the output is sent to the model. */
export interface ToolSerialisation<Output> {
  mapToolResultToToolResultBlockParam(output: Output, toolUseId: string): ToolResultBlock
  /** Longer results are written to a file and previewed. */
  readonly maxResultSizeChars: number
  /** Characters of the preview; `PREVIEW_CHARS` if left out. */
  readonly previewChars?: number
}
