import type { CommandAnalysis } from '../contract/command.js'
import type { ToolEvent } from '../contract/events.js'
import type { AssistantMessage, Message } from '../contract/messages.js'
import type { ToolPermissionContext } from '../contract/permission/context.js'
import type { DecisionReason, PermissionUpdate } from '../contract/permission/result.js'
import type { CallsPort } from '../contract/ports/calls.js'
import type { PortName, Ports } from '../contract/ports/index.js'
import type { QuestionFacts } from '../contract/tool/question-facts.js'
import type { Tool, ToolCoreContext, Tools } from '../contract/tool/tool.js'
import type { HookRunner } from '../hooks/create-hook-runner.js'
import type { DecisionPorts, DecisionRequest } from '../permissions/decide/decision-request.js'
import type { PathContext } from '../permissions/paths/normalise-path.js'
import type { SecretMasker } from '../shared/secret-masker.js'
import type { Repositories } from '../shell/walk/walker.js'
import type { QuestionLock } from './questions.js'
import type { PathLookup, SchedulingRule } from './schedule/claims.js'

/** A permission question about one call, for the user. */
export interface PermissionQuestion extends QuestionFacts {
  readonly toolUseId: string
  readonly tool: Tool
  readonly input: Readonly<Record<string, unknown>>
  readonly message: string
  /** What the call would change, if its tool can preview it. */
  readonly preview?: string
  readonly reason: DecisionReason
  /** Permission updates that the user could accept together with the call. */
  readonly suggestions: readonly PermissionUpdate[]
  readonly signal: AbortSignal
  /** The analysis of the command that the call runs. */
  readonly command?: CommandAnalysis | undefined
  /**
   * Tells that the user has begun to answer. From then on, only a hook's denial withdraws the question: the user's answer is not
   * overtaken by a hook or classifier that allows the call.
   */
  readonly beginAnswer?: () => void
  /** Returns the number of other questions that wait for this one. */
  readonly countWaiting?: () => number
  /** The sub-agent that makes the call; undefined for the main conversation. */
  readonly agent?: { readonly id: string; readonly name?: string }
}

/** The user's answer. Updates are applied before the call continues. */
export type PermissionAnswer =
  | {
      readonly behavior: 'allow'
      readonly updatedInput?: Readonly<Record<string, unknown>>
      readonly updates?: readonly PermissionUpdate[]
    }
  | { readonly behavior: 'deny'; readonly message?: string }

/** No user is available for this call: the permission mode decides, as it does without `ask`. */
export interface NoUserAvailable {
  readonly behavior: 'unavailable'
}

/** Asks the user whether a call may run. A rejected promise counts as a denial. */
export type AskPermission = (question: PermissionQuestion) => Promise<PermissionAnswer | NoUserAvailable>

/**
 * The timed steps of a call, in order. A call that fails after it was allowed and before its tool has returned runs
 * `failure-hooks` instead of the remaining steps.
 */
export type StepName =
  | 'find'
  | 'parse'
  | 'validate'
  | 'classify'
  | 'pre-hooks'
  | 'permission'
  | 'checkpoint'
  | 'call'
  | 'post-hooks'
  | 'failure-hooks'
  | 'serialise'

/** Receives the duration of each step of each call. */
export interface StepTimer {
  /** Receives the duration of one step. `waitedMs` is the part of the step that was spent waiting for the user. */
  step(toolUseId: string, step: StepName, startMs: number, endMs: number, waitedMs?: number): void
}

/** How a call was approved, and whether it is over; ports that are created for each call depend on it. */
export interface CallApproval {
  /** Whether the user approved this call when asked. Rules, modes and hooks do not count. */
  readonly isApprovedByUser: boolean
  /** Whether an allow rule covers the call with its current input. */
  readonly isAllowedByRule: boolean
  /** Whether the call has its result. Later effects of its tool are ignored. */
  readonly isOver: boolean
}

/** Reads the git configuration of folders, for commands that depend on it. If it is unknown, git counts as able to run any program. */
export type ReadRepositories = (folders: readonly string[]) => Promise<Repositories>

/** Factories for ports that are created for each call. */
type CallPorts = { readonly [P in PortName]?: (approval: CallApproval) => Ports[P] }

/** Where calls look up their tool. */
export interface ToolDirectory {
  /** The tool pool: everything that can be called. */
  readonly tools: Tools
  /** Tools that exist but are switched off or denied, so that the error can say so. */
  readonly absentTools?: Tools
  /** Whether a tool of this name was sent to the model earlier. */
  readonly wasSent?: (name: string) => boolean
  /** Whether the model has seen the tool's schema. */
  readonly isSchemaSent?: (tool: Tool) => boolean
  /** How the caller finds tools, for the error about an unknown one. */
  readonly searchAdvice?: string
}

/** The tools that other tools can call through the `calls` port. */
export interface NestedTools extends Pick<CallsPort, 'describe' | 'search'> {
  directory(): ToolDirectory
}

/** The agent whose model made the calls. */
export interface CallingAgent {
  /** The working directory of the next call; a call can change it. */
  cwd: string
  /** The options that calls of earlier messages have changed. */
  changedOptions: Partial<ToolCoreContext['options']>
  /** Counts calls of `stop`, so that a run can tell whether the agent was stopped during the run. */
  readonly stopCount: number
  readonly stopReason: string | undefined
  /** Ends the agent's work: a hook stopped it, or auto mode denied too many calls and there is no user to ask. */
  stop(reason: string): void
  /** Whether this agent is `ancestor` or one of its sub-agents. */
  isWithin(ancestor: object): boolean
}

/** Everything outside `calls/` that the calls of one agent depend on. */
export interface CallEnvironment {
  directory(): ToolDirectory
  /** Waits for a tool whose MCP server is still starting; undefined if no server will provide this name. */
  awaitTool?(name: string): Promise<void> | undefined
  /** Whether the model has seen the tool's schema; the arguments of a deferred tool may be a guess. */
  isSchemaSent(tool: Tool): boolean
  readonly hooks?: HookRunner | undefined
  permissions(): ToolPermissionContext
  readonly decisionPorts: DecisionPorts
  readonly pathContext: Omit<PathContext, 'cwd'>
  readonly readRepositories?: ReadRepositories
  /** Undefined if there is no user to ask. */
  readonly ask?: AskPermission | undefined
  applyUpdates?(updates: readonly PermissionUpdate[]): unknown
  /** The inputs of auto mode: the user's request and the number of denied calls. */
  autoMode?(): Pick<DecisionRequest, 'userRequest' | 'denials'>
  /**
   * Waits until the record of everything that has happened so far is durable. A tool runs only afterwards, so that no
   * effect is forgotten. If it fails, the tool does not run.
   */
  waitUntilRecorded?(): Promise<void>
  /** Runs the work within the limit of concurrent uses of the resource that the tool uses. */
  limit?<T>(tool: Tool, work: () => Promise<T>): Promise<T>
  /** Returns the ports: the same object for all calls, created when a call first needs it. */
  ports(): Partial<Ports>
  /** Ports that are created for each call. They take precedence over `ports`. */
  readonly callPorts?: CallPorts | undefined
  /** Undefined if tools cannot call other tools. */
  readonly nestedTools?: NestedTools | undefined
  readonly contextOptions: Pick<ToolCoreContext, 'options' | 'queryTracking' | 'agentId'>
  readonly graceMs?: number | undefined
  /** Masks secrets in everything that a call returns or reports. Undefined if nothing is masked. */
  readonly secrets?: SecretMasker | undefined
  readonly timer?: StepTimer | undefined
}

/** Options of one run, in addition to the environment of its calls. */
export interface CallRunOptions {
  readonly environment: CallEnvironment
  readonly agent: CallingAgent
  readonly scheduling: SchedulingRule
  readonly identifyPath?: PathLookup['identify']
  readonly hardLinkName?: PathLookup['hardLinkName']
  readonly messages?: readonly Message[]
  readonly parentMessage?: AssistantMessage
  readonly maxConcurrency?: number
  readonly signal?: AbortSignal
  /** Shared by all runs whose questions go to the same user. */
  readonly questionLock?: QuestionLock
  readonly onEvent: (event: ToolEvent) => unknown
  /** Whether events are kept until the run is first iterated. True by default. */
  readonly keepsEvents?: boolean
  /** The run is in this set until every call has ended and the results are complete. */
  readonly openRuns?: Set<object>
}
