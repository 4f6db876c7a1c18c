import type { CommandAnalysis } from '../../contract/command.js'
import type { DenialTracking } from '../../contract/host/host-state.js'
import type { ToolPermissionContext } from '../../contract/permission/context.js'
import type { Tool, ToolContext } from '../../contract/tool/tool.js'
import type { Classification } from '../auto-mode/classification.js'
import type { Classifier } from '../auto-mode/classifier.js'
import type { FactSources } from '../facts/call-facts.js'
import type { PathContext } from '../paths/normalise-path.js'

/** The combined answer of the PreToolUse hooks. Deny takes precedence over ask, and ask over allow. */
interface HookOpinion {
  readonly behavior: 'allow' | 'deny' | 'ask'
  readonly reason?: string
}

/** A call, and the state that the decision about it depends on. */
export interface DecisionRequest {
  readonly tool: Tool
  /** The parsed input that will be passed to `call`. */
  readonly input: unknown
  /** The analysis of the command that the call runs. If omitted, the command counts as not understood. */
  readonly command?: CommandAnalysis | undefined
  readonly permissions: ToolPermissionContext
  readonly toolContext: ToolContext
  readonly pathContext: PathContext
  readonly hook?: HookOpinion
  /** Whether there is a user to ask. Otherwise a question becomes a denial with advice. */
  readonly canAsk: boolean
  /** The user's request, for the classifier. */
  readonly userRequest?: string
  readonly denials?: DenialTracking
  /**
   * The classifier's work on this call, which may have started already. If given, the decision does not wait long for it: the
   * question then carries a `laterOutcome`.
   */
  readonly classification?: Classification
}

/** The functions of the host that decisions use. */
export interface DecisionPorts extends FactSources {
  /** Answers questions in auto mode. Defaults to local rules. */
  readonly classifier?: Classifier
  readonly classifierTimeoutMs?: number
  /** How long a question waits for the classifier and for hooks before the user sees it. */
  readonly questionDelayMs?: number
}
