import type { ToolEvent } from '../contract/events.js'
import type { ToolPermissionContext } from '../contract/permission/context.js'
import type { DecisionReason, PermissionUpdate } from '../contract/permission/result.js'
import type { PortName, Ports } from '../contract/ports/index.js'
import type { Tool, ToolCoreContext } from '../contract/tool/tool.js'
import type { HookRunner } from '../hooks/create-hook-runner.js'
import type { PermissionOutcome } from '../permissions/decide/decision.js'
import type { DecisionPorts, DecisionRequest } from '../permissions/decide/decision-request.js'
import type { Place } from '../permissions/paths/place.js'
import type { ToolDirectory } from './steps/find-tool.js'
import type { IsSchemaSent } from './steps/parse-input.js'

/** What a person is asked about one call. */
export interface PermissionQuestion {
  readonly toolUseId: string
  readonly tool: Tool
  readonly input: Readonly<Record<string, unknown>>
  readonly message: string
  /** What the call would change, where its tool can tell. */
  readonly preview?: string
  readonly reason: DecisionReason
  readonly suggestions: readonly PermissionUpdate[]
  readonly signal: AbortSignal
  /** The sub-agent that wants to make the call; left out for the main conversation. */
  readonly agent?: { readonly id: string; readonly name?: string }
}

/** What the person said. Updates are applied before the call goes on. */
export type PermissionAnswer =
  | {
      readonly behavior: 'allow'
      readonly updatedInput?: Readonly<Record<string, unknown>>
      readonly updates?: readonly PermissionUpdate[]
    }
  | { readonly behavior: 'deny'; readonly message?: string }

/** There is nobody to ask about this call: the mode decides, as where nobody can be asked at all. */
export interface NobodyToAsk {
  readonly behavior: 'nobody'
}

export type AskPermission = (question: PermissionQuestion) => Promise<PermissionAnswer | NobodyToAsk>

/** The steps of a call that are timed, in order; `failure-hooks` stand in for what follows a call that failed. */
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

/** Told how long each step of a call took; off unless a host wants it. */
export interface StepTimer {
  /** `waitedMs` is what of that time a person took to answer. */
  step(toolUseId: string, step: StepName, startMs: number, endMs: number, waitedMs?: number): void
}

/** How a call stands now, for its context, and for ports that give more where a person has approved it. */
export interface CallStanding {
  readonly isApprovedByPerson: boolean
  readonly isAllowedByRule: boolean
  readonly isOver: boolean
}

/** Ports that are made for each call. */
export type CallPorts = { readonly [P in PortName]?: (standing: CallStanding) => Ports[P] }

/** All that the road of a call needs from around it. */
export interface ExecutionHost {
  readonly directory: () => ToolDirectory
  /** Waits for a tool that is not there yet and may come; undefined where none of this name will. */
  readonly awaitTool?: (name: string) => Promise<void> | undefined
  readonly isSchemaSent: IsSchemaSent
  readonly hooks?: HookRunner
  readonly permissions: () => ToolPermissionContext
  readonly decisionPorts: DecisionPorts
  readonly place: Omit<Place, 'cwd'>
  /** Left out where nobody can be asked. */
  readonly ask?: AskPermission
  readonly applyUpdates?: (updates: readonly PermissionUpdate[]) => Promise<void> | void
  /** What auto mode needs: the user's request and how often calls were denied. */
  readonly autoMode?: () => Pick<DecisionRequest, 'userRequest' | 'denials'>
  /** Told of every decision, for counting denials and for the record. */
  readonly onDecision?: (toolUseId: string, outcome: PermissionOutcome) => void
  /** Waits for a place where many agents share a resource. */
  readonly limit?: <T>(tool: Tool, work: () => Promise<T>) => Promise<T>
  readonly ports: Partial<Ports>
  /** In place of those in `ports`. */
  readonly callPorts?: CallPorts
  readonly contextOptions: Pick<ToolCoreContext, 'options' | 'queryTracking' | 'agentId'>
  readonly graceMs?: number
  readonly timer?: StepTimer
  readonly emit: (event: ToolEvent) => void
}
