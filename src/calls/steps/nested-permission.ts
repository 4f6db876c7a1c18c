import { ToolCallError } from '../../contract/errors.js'
import type { PermissionDecision } from '../../contract/permission/result.js'
import type { CanUseTool, Tool } from '../../contract/tool/tool.js'
import { isToolEnabled } from '../../contract/tool/traits.js'
import { asToolCallError } from '../as-tool-call-error.js'
import { CallScope } from '../call-scope.js'
import { type AllowedCall, enter, type FoundCall, type RequestedCall, type SavedCall } from '../call-states.js'
import { copyPlain } from '../copy-plain.js'
import { classifyCommand } from './classify-command.js'
import { findTool, type ToolDirectory } from './find-tool.js'
import { parseInput } from './parse-input.js'
import { requirePermission } from './require-permission.js'
import { runPreHooks } from './run-pre-hooks.js'
import { saveCheckpoint } from './save-checkpoint.js'
import { validateInput } from './validate-input.js'

/** `canUseTool`: a call that a tool makes inside its own goes through steps 0 to 5 like any other. */
export function nestedPermission(outer: SavedCall, scope: CallScope): CanUseTool {
  return async (tool, input): Promise<PermissionDecision> => {
    try {
      const { updatedInput, notes } = await permit(outer, scope, tool, input)
      if (notes.length > 0) scope.notes = [...scope.notes, ...notes]
      return { behavior: 'allow', updatedInput }
    } catch (error) {
      return { behavior: 'deny', message: asToolCallError(nameOf(tool), error).message }
    }
  }
}

async function permit(outer: SavedCall, scope: CallScope, tool: Tool, input: unknown) {
  // Whoever was left behind must not come back with a question.
  if (scope.isOver) throw new ToolCallError('cancelled', `${outer.tool.name} has ended; it can call nothing any more.`)
  const { id } = outer.toolUse
  const request = {
    toolUse: { type: 'tool_use', id, name: tool.name, input },
    parentMessage: outer.parentMessage,
  } as const
  const found = findNested(request, tool, scope.host.directory())
  const inner = new CallScope(found, scope.around, false)
  inner.timeLimit = scope.timeLimit
  try {
    const allowed = await takeSteps(found, inner)
    await inner.take('checkpoint', saveCheckpoint, allowed)
    if (scope.isOver) throw new ToolCallError('cancelled', `${outer.tool.name} has ended meanwhile.`)
    return { updatedInput: copyPlain(allowed.input), notes: inner.notes }
  } finally {
    scope.waitedMs += inner.waitedMs
    scope.hasCheckpoint ||= inner.hasCheckpoint
    if (inner.stop !== undefined) scope.stop ??= inner.stop
  }
}

async function takeSteps(found: FoundCall, inner: CallScope): Promise<AllowedCall> {
  inner.control.throwIfCancelled(found.tool.name)
  const parsed = await inner.take('parse', () => parseInput(found, inner.host.isSchemaSent), found)
  const validated = await inner.take('validate', validateInput, parsed)
  void classifyCommand(validated, inner)
  const hooked = await inner.take('pre-hooks', runPreHooks, validated)
  return inner.take('permission', requirePermission, hooked)
}

/** Some tools can be reached from inside others only, so that any tool the host knows will do, as long as it is that very tool. */
function findNested(request: RequestedCall, tool: Tool, directory: ToolDirectory): FoundCall {
  if (directory.absentTools?.includes(tool) === true && isToolEnabled(tool)) {
    return enter<FoundCall>({ toolUse: request.toolUse, parentMessage: request.parentMessage, tool })
  }
  const found = findTool(request, directory)
  if (found.tool === tool) return found
  throw new ToolCallError('unknown_tool', `The ${nameOf(tool)} that was given is not the tool of that name here.`)
}

function nameOf(tool: Tool): string {
  return typeof tool?.name === 'string' ? tool.name : 'The nested call'
}
