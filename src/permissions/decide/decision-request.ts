import type { DenialTracking } from '../../contract/host/host-state.js'
import type { ToolPermissionContext } from '../../contract/permission/context.js'
import type { Tool, ToolContext } from '../../contract/tool/tool.js'
import type { Classifier } from '../auto-mode/classifier.js'
import type { FactSources } from '../facts/call-facts.js'
import type { Place } from '../paths/place.js'

/** What the PreToolUse hooks said together, deny before ask before allow. */
interface HookOpinion {
  readonly behavior: 'allow' | 'deny' | 'ask'
  readonly reason?: string
}

/** One call to decide on. */
export interface DecisionRequest {
  readonly tool: Tool
  /** The parsed input, as `call` will get it. */
  readonly input: unknown
  readonly permissions: ToolPermissionContext
  readonly toolContext: ToolContext
  readonly place: Place
  readonly hook?: HookOpinion
  /** Whether somebody is there to answer; without one a question is a denial with advice. */
  readonly canAsk: boolean
  /** What the user asked for, for the classifier. */
  readonly userRequest?: string
  readonly denials?: DenialTracking
}

export interface DecisionPorts extends FactSources {
  /** Answers in auto mode; local rules if left out. */
  readonly classifier?: Classifier
  readonly classifierTimeoutMs?: number
}
