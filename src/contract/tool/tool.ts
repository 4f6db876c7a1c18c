import type { MaybePromise } from '../../shared/maybe-promise.js'
import type { AssistantMessage, Message, ToolResultBlock } from '../messages.js'
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
 * What lets a model act. One flat structural type, put together from a small interface for each concern.
 * `Input` is a schema that yields an object, `Output` what `call` returns, `Progress` what it reports on the way,
 * `Node` what its views draw (plain text unless a screen sets it), `Needs` the ports it asks for.
 */
export interface Tool<
  Input extends ObjectSchema = ObjectSchema<any>,
  Output = any,
  Progress = any,
  Node = string,
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
    ToolViews<InferOutput<Input>, Output, Progress, Node>,
    ToolSerialisation<Output> {}

export type Tools = readonly Tool[]

/** What the caller knows of a call, and the ports that the tool named. */
export type ToolContext<Needs extends PortName = never> = LayeredContext<Tool, Needs>
export type ToolCoreContext = CoreContext<Tool>
export type CanUseTool = CanUseToolFunction<Tool>

export interface ToolSchemas<Input extends ObjectSchema, Output> {
  readonly inputSchema: Input
  /** JSON Schema as it came over a protocol; sent and checked as it is. */
  readonly inputJSONSchema?: JsonSchema
  /** Any value if left out. */
  readonly outputSchema?: StandardSchema<any, Output>
}

export interface ToolExecution<Args, Output, Progress, Needs extends PortName> {
  call(
    args: Args,
    context: ToolContext<Needs>,
    canUseTool: CanUseTool,
    parentMessage: AssistantMessage,
    onProgress?: (progress: Progress) => void,
  ): Promise<ToolResult<Output>>
  /** What this call does, in a few words; may depend on the input. */
  description(input: Args, options: DescriptionOptions): MaybePromise<string>
  /** The usage text that the model reads; may depend on permissions. A function without parameters is asked once. */
  prompt(options: PromptOptions): MaybePromise<string>
}

export interface ToolResult<Output> {
  readonly data: Output
  readonly newMessages?: readonly Message[]
  readonly contextModifier?: ContextModifier<Tool>
  /** Called once the model gets the result as it is here: not cancelled, replaced by a hook, or cut since it is too long. */
  readonly onShown?: () => void
  /** Set where the work goes on after this answer; what it changed is noted when it ends. */
  readonly goesOn?: Promise<WorkEnd>
  readonly mcpMeta?: { readonly _meta?: Readonly<Record<string, unknown>>; readonly structuredContent?: unknown }
}

export interface DescriptionOptions {
  readonly isNonInteractiveSession: boolean
  readonly toolPermissionContext: ToolPermissionContext
  readonly tools: Tools
}

export interface PromptOptions {
  readonly toolPermissionContext: ToolPermissionContext
  readonly tools: Tools
  readonly agentDefinitions: readonly AgentDefinition[]
}

export interface ToolPermission<Args, Needs extends PortName> {
  /** The tool's own check of what the schema cannot say; its message goes back to the model. */
  validateInput?(input: Args, context: ToolContext<Needs>): MaybePromise<ValidationResult>
  checkPermissions(input: Args, context: ToolContext<Needs>): MaybePromise<PermissionResult<Args>>
  /** The one path that the call is about. */
  getPath?(input: Args): string
  /**
   * The call reads files it does not name only through `files.glob` and `search`, which leave out what rules restrict:
   * so it may go over a folder around them.
   */
  readonly leavesOutRestricted?: boolean
  /** Compiles the input once, so that rule contents and hook conditions can be tested against it. */
  preparePermissionMatcher?(input: Args): MaybePromise<(ruleContent: string) => boolean>
}

export type ValidationResult =
  | { readonly result: true }
  | { readonly result: false; readonly message: string; readonly errorCode: number }

export interface ToolBehaviour<Args> {
  isEnabled(): boolean
  isReadOnly(input: Args): boolean
  isConcurrencySafe(input: Args): boolean
  isDestructive(input: Args): boolean
  isOpenWorld?(input: Args): boolean
  /** A call does what its `command` does and nothing else: permission goes by the analysis of that command alone. */
  readonly doesOnlyItsCommand?: true
  /**
   * All that a call does is done by calls that are judged by themselves: permission does not look at what it touches,
   * and plan mode leaves it alone.
   */
  readonly doesOnlyNestedCalls?: true
  /** What a message by the user does to a running call; `block` if left out. */
  interruptBehavior?(): 'cancel' | 'block'
  requiresUserInteraction?(): boolean
  isSearchOrReadCommand?(input: Args): {
    readonly isSearch: boolean
    readonly isRead: boolean
    readonly isList?: boolean
  }
  /** Only wraps other calls: the screen shows those in its place. */
  isTransparentWrapper?(): boolean
  /** The provider holds the model to the schema, and no input is repaired. */
  readonly strict?: boolean
}

export interface ToolScheduling<Args> {
  /** The ports that the call uses. */
  readonly needs?: readonly PortName[]
  /** What the call touches: for scheduling, for permissions where `getPath` is not enough, and for checkpoints. */
  resources?(input: Args): ToolResources
  timeoutMs?(input: Args): number
}

export interface ToolObservedInput<Args> {
  /** Adds derived or legacy fields to the copy that hooks and permission checks see; `call` never gets them. */
  backfillObservableInput?(input: Record<string, unknown>): void
  inputsEquivalent?(a: Args, b: Args): boolean
}

export interface ToolSerialisation<Output> {
  mapToolResultToToolResultBlockParam(output: Output, toolUseId: string): ToolResultBlock
  /** Longer results are written to a file and previewed. */
  readonly maxResultSizeChars: number
}
