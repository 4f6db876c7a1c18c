import { ToolCallError } from '../contract/errors.js'
import type { PermissionDecision } from '../contract/permission/result.js'
import type { CanUseTool, Tool } from '../contract/tool/tool.js'
import { isToolEnabled } from '../contract/tool/traits.js'
import { asToolCallError } from './as-tool-call-error.js'
import type { Call, Input } from './call.js'
import { copyPlain } from './copy-plain.js'
import { startCommandAnalysis } from './steps/analyse-command.js'
import { saveCheckpoint } from './steps/checkpoint.js'
import { findNestedTool } from './steps/find-tool.js'
import { parseInput } from './steps/parse-input.js'
import { requirePermission } from './steps/require-permission.js'
import { runPreHooks } from './steps/run-pre-hooks.js'
import { validateInput } from './steps/validate-input.js'

/** `canUseTool`: a call that a tool makes itself goes through all steps up to the checkpoint, like any other call. */
export function canUseToolFor(outer: Call): CanUseTool {
  return async (tool, input): Promise<PermissionDecision> => {
    try {
      return { behavior: 'allow', updatedInput: await permitNested(outer, tool, input) }
    } catch (error) {
      return { behavior: 'deny', message: asToolCallError(nameOf(tool), error).message }
    }
  }
}

async function permitNested(outer: Call, tool: Tool, input: unknown): Promise<Input> {
  throwIfOver(outer)
  const call = outer.nested(tool, input)
  try {
    const found = findNestedTool(call, tool, isToolEnabled)
    call.throwIfCancelled()
    const parsed = await call.step('parse', () => parseInput(found))
    const validated = await call.step('validate', () => validateInput(parsed))
    void startCommandAnalysis(validated)
    const hooked = await call.step('pre-hooks', () => runPreHooks(validated))
    const allowed = await call.step('permission', () => requirePermission(hooked))
    await call.step('checkpoint', () => saveCheckpoint(allowed))
    throwIfOver(outer)
    outer.addNotes(call.notes)
    return copyPlain(allowed.input)
  } finally {
    outer.absorb(call)
  }
}

/** An abandoned tool must not ask the user anything. */
function throwIfOver(outer: Call): void {
  if (outer.isOver) throw new ToolCallError('cancelled', `${outer.toolName} has ended and can make no further calls.`)
}

function nameOf(tool: Tool): string {
  return typeof tool?.name === 'string' ? tool.name : 'The nested call'
}
