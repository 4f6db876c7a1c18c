import type { PermissionResult } from '../../contract/permission/result.js'
import type { Tool } from '../../contract/tool/tool.js'
import { checkCallPermissions, hasDefault } from '../../contract/tool/traits.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { deny, type Journey, note, type PermissionOutcome, type Question } from './decision.js'

/** What the tool's own check says. */
export interface ToolOpinion {
  readonly denial?: PermissionOutcome
  readonly question?: Question
  /** The question is not the tool's own: its check threw, or answered nothing that can be used. */
  readonly hasFailed?: true
  /** The tool needs no question, once everything that restricts has passed. */
  readonly allows: boolean
  readonly updatedInput?: unknown
  /** What the call would change. */
  readonly preview?: string
}

const NONE: ToolOpinion = Object.freeze({ allows: false })

/** Asks the tool. The default check is no opinion, and a tool of a server is heard only where it restricts. */
export function askTool(journey: Journey): MaybePromise<ToolOpinion> {
  const { call, trace } = journey
  if (hasDefault(call.tool, 'checkPermissions')) {
    note(trace, 'tool', 'pass', 'the tool has no opinion of its own')
    return NONE
  }
  return call.isFromOutside ? checkTool(journey).then(restrictionOf) : checkTool(journey)
}

function restrictionOf({ denial, question, hasFailed }: ToolOpinion): ToolOpinion {
  return {
    ...NONE,
    ...(denial !== undefined && { denial }),
    ...(question !== undefined && { question: { ...question, suggestions: [] } }),
    ...(hasFailed && { hasFailed }),
  }
}

async function checkTool(journey: Journey): Promise<ToolOpinion> {
  const { call, request, trace } = journey
  let given: unknown
  const { tool } = call
  const watched: Pick<Tool, 'name' | 'checkPermissions'> = {
    name: tool.name,
    async checkPermissions(input, context) {
      const answer = await tool.checkPermissions(input, context)
      given = answer
      return answer
    },
  }
  const result: PermissionResult = await checkCallPermissions(watched, call.input, request.toolContext)
  if (result.behavior === 'deny') {
    const reason = result.reason ?? { type: 'tool', text: result.message }
    return { ...NONE, denial: deny(journey, 'tool', reason, result.message) }
  }
  if (result.behavior === 'passthrough') {
    note(trace, 'tool', 'pass', result.message ?? 'the tool leaves it to the rules')
    return result.preview === undefined ? NONE : { ...NONE, preview: result.preview }
  }
  const updatedInput = result.updatedInput === undefined ? {} : { updatedInput: result.updatedInput }
  if (result.behavior === 'allow') {
    note(trace, 'tool', 'pass', 'the tool would allow it')
    return { allows: true, ...updatedInput }
  }
  note(trace, 'tool', 'ask', result.message)
  const reason = result.reason ?? { type: 'tool', text: result.message }
  const question = { isOpen: false, reason, message: result.message, suggestions: result.suggestions ?? [] }
  return { allows: false, question, ...(result !== given && { hasFailed: true }), ...updatedInput }
}
