import { ToolCallError, type ToolCallErrorCode } from '../../contract/errors.js'
import type { PermissionOutcome } from '../../permissions/decide/decision.js'
import type { CallScope } from '../call-scope.js'
import type { HookedCall } from '../call-states.js'
import { hookOptions, hooksFor } from './hooks-for.js'

/** Ends a call that may not run: its PermissionDenied hooks are told, then the model. */
export async function refuseCall(
  { tool, toolUse, input }: HookedCall,
  scope: CallScope,
  code: ToolCallErrorCode,
  reason: string,
): Promise<never> {
  const hooks = hooksFor('PermissionDenied', scope)
  if (hooks !== undefined) {
    const observed = scope.observe(input)
    const fields = { tool_name: tool.name, tool_input: observed, tool_use_id: toolUse.id, reason }
    scope.hear(await hooks.run('PermissionDenied', fields, hookOptions(scope, observed)))
  }
  throw new ToolCallError(code, reason)
}

export function refusalCode({ lacksPerson, reason }: PermissionOutcome): ToolCallErrorCode {
  if (lacksPerson === true) return 'permission_needed'
  return reason.type === 'hook' ? 'hook_blocked' : 'permission_denied'
}
