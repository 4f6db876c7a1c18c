import type { PermissionAnswer } from '../call-environment.js'
import type { CallScope } from '../call-scope.js'
import type { HookedCall } from '../call-states.js'
import { hookOptions, hooksFor } from '../steps/hooks-for.js'

/** What the PermissionRequest hooks answer in place of a person; undefined where they leave it to one. */
export async function askRequestHooks(
  { tool, toolUse, input }: HookedCall,
  scope: CallScope,
): Promise<PermissionAnswer | undefined> {
  const hooks = hooksFor('PermissionRequest', scope)
  if (hooks === undefined) return undefined
  const observed = scope.observe(input)
  const fields = { tool_name: tool.name, tool_input: observed, tool_use_id: toolUse.id }
  const outcome = await hooks.run('PermissionRequest', fields, hookOptions(scope, observed))
  scope.hear(outcome)
  scope.control.throwIfCancelled(tool.name)
  const { permission, updatedInput } = outcome
  if (permission?.behavior === 'deny') return { behavior: 'deny', message: permission.reason }
  if (permission?.behavior !== 'allow') return undefined
  return updatedInput === undefined ? { behavior: 'allow' } : { behavior: 'allow', updatedInput }
}
