import type { ToolEvent } from '../contract/events.js'
import type { ToolDefinition, ToolResultBlock } from '../contract/messages.js'
import type { DecisionReason, DecisionStep, PermissionUpdate } from '../contract/permission/result.js'
import type { Tool } from '../contract/tool/tool.js'
import type { View } from '../contract/views.js'
import type { SessionRows } from './data/rows.js'

/** A tool of the pool, as the model sees it. */
export interface PoolTool {
  readonly definition: ToolDefinition
  /** The size of the JSON of the definition. */
  readonly bytes: number
  readonly server?: string
  /** Whether the model must search for the tool before it can call it. */
  readonly isDeferred: boolean
  readonly isReadOnly: boolean | undefined
}

/** A tool that a search found. */
export interface FoundTool {
  readonly name: string
  readonly description: string
  /** Undefined for a tool that was found by its exact name. */
  readonly score: number | undefined
  /** Why it was found: the words of the query in each of its texts. */
  readonly reasons: readonly string[]
}

/** Rules to try instead of those of the settings. */
export interface SimulatedRules {
  readonly mode: string
  /** Whether the rules of the settings also apply. */
  readonly withSettings: boolean
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  readonly ask: readonly string[]
}

/** A decision that was made without running anything. */
export interface SimulatedDecision {
  readonly behavior: string
  readonly reason: DecisionReason
  readonly message: string
  readonly trace: readonly DecisionStep[]
  readonly isReadOnly: boolean
  readonly suggestedRules: readonly string[]
}

/** A call of a past session and the decisions with and without the tried rules. */
export interface ReplayedDecision {
  readonly tool: string
  readonly input: unknown
  readonly count: number
  readonly before: SimulatedDecision
  readonly after: SimulatedDecision
}

/** A configured MCP server. */
export interface ServerStatus {
  readonly name: string
  readonly status: string
  readonly reason?: string
  readonly version?: string
  readonly toolCount: number
  readonly refused: readonly string[]
  /** The last lines of its log. */
  readonly log: string
}

/** A configured hook. */
export interface ConfiguredHook {
  readonly event: string
  readonly matcher: string
  readonly hook: string
  readonly source: string
}

/** What a call changed, and how to undo it. */
export interface CheckpointDetail {
  readonly id: string
  readonly command: string
  readonly isCovered: boolean
  readonly changes: readonly { readonly path: string; readonly change: string; readonly diff?: View }[]
}

/** A permission question of a call that the page has made. */
export interface PageQuestion {
  readonly id: string
  readonly toolName: string
  readonly message: string
  readonly preview?: string
  readonly suggestions: readonly PermissionUpdate[]
}

/** The user's answer on the page. `rule` is the position of the accepted suggestion. */
export interface PageAnswer {
  readonly behavior: 'allow' | 'deny'
  readonly suggestion?: number
}

/** The outcome of a call that the page has made. */
export interface PageCall {
  readonly result: ToolResultBlock
  readonly view: View | undefined
  readonly errorCode: string | undefined
  readonly events: readonly ToolEvent[]
}

/** What the inspector can do besides reading transcripts. The command creates it from the tools of this folder. */
export interface Workbench {
  /** Finds a tool for its views. */
  findTool(name: string): Tool | undefined
  listPool(): Promise<readonly PoolTool[]>
  search(query: string): Promise<readonly FoundTool[]>
  simulate(tool: string, input: unknown, rules: SimulatedRules): Promise<SimulatedDecision>
  listServers(): Promise<readonly ServerStatus[]>
  listHooks(): readonly ConfiguredHook[]
  readCheckpoint(
    session: Pick<SessionRows, 'id' | 'projectRoot'>,
    toolUseId: string,
  ): Promise<CheckpointDetail | undefined>
  /** Calls a tool through the pipeline. Questions are passed to `ask`. */
  call(
    tool: string,
    input: unknown,
    ask: (question: PageQuestion) => Promise<PageAnswer>,
    signal: AbortSignal,
  ): Promise<PageCall>
}
