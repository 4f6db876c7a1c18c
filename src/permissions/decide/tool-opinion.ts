import type { PermissionResult } from '../../contract/permission/result.js'
import { checkCallPermissions, FAILED_CHECK_REASON, hasDefault } from '../../contract/tool/traits.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { type Decision, deny, type PermissionOutcome, type Question, recordStage } from './decision.js'

/** The result of the tool's own check. */
export interface ToolOpinion {
  readonly denial?: PermissionOutcome
  readonly question?: Question
  /** Whether the check threw or returned an invalid answer, so that the question does not come from the tool itself. */
  readonly hasFailed?: true
  /** Whether the tool allows the call if no restriction applies. */
  readonly allows: boolean
  readonly updatedInput?: unknown
  /** The changes that the call would make, as text for the user. */
  readonly preview?: string
  /** Whether a sandbox keeps protected files read-only, whatever the call does. */
  readonly isConfined?: boolean
}

const NO_OPINION: ToolOpinion = Object.freeze({ allows: false })

/** Runs the tool's own check. The default check is ignored, and the check of an MCP tool can only restrict. */
export function askTool(decision: Decision): MaybePromise<ToolOpinion> {
  const { call, trace } = decision
  if (hasDefault(call.tool, 'checkPermissions')) {
    recordStage(trace, 'tool', 'pass', 'the tool has no check of its own')
    return NO_OPINION
  }
  return call.isExternal ? checkTool(decision).then(restrictionOf) : checkTool(decision)
}

function restrictionOf({ denial, question, hasFailed }: ToolOpinion): ToolOpinion {
  return {
    ...NO_OPINION,
    ...(denial !== undefined && { denial }),
    ...(question !== undefined && { question: { ...question, suggestions: [] } }),
    ...(hasFailed && { hasFailed }),
  }
}

async function checkTool(decision: Decision): Promise<ToolOpinion> {
  const { call, request, trace } = decision
  const result: PermissionResult = await checkCallPermissions(call.tool, call.input, request.toolContext)
  if (result.behavior === 'deny') {
    const reason = result.reason ?? { type: 'tool', text: result.message }
    return { ...NO_OPINION, denial: deny(decision, 'tool', reason, result.message) }
  }
  if (result.behavior === 'passthrough') {
    recordStage(trace, 'tool', 'pass', result.message ?? 'the tool leaves the decision to the rules')
    const { preview, isConfined } = result
    return { ...NO_OPINION, ...(preview !== undefined && { preview }), ...(isConfined === true && { isConfined }) }
  }
  const updatedInput = result.updatedInput === undefined ? {} : { updatedInput: result.updatedInput }
  if (result.behavior === 'allow') {
    recordStage(trace, 'tool', 'pass', 'the tool would allow it')
    return { allows: true, ...updatedInput }
  }
  recordStage(trace, 'tool', 'ask', result.message)
  const reason = result.reason ?? { type: 'tool', text: result.message }
  const question = { isOpen: false, reason, message: result.message, suggestions: result.suggestions ?? [] }
  return { allows: false, question, ...(reason === FAILED_CHECK_REASON && { hasFailed: true }), ...updatedInput }
}
