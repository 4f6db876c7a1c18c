import { ToolCallError } from '../../contract/errors.js'
import type { HookRunner } from '../../hooks/create-hook-runner.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import type { CallScope } from '../call-scope.js'
import { enter, type HookedCall, type ValidatedCall } from '../call-states.js'
import { hookOptions, hooksFor } from './hooks-for.js'
import { recheckHookInput } from './recheck-input.js'

/** Runs the PreToolUse hooks on the observable copy of the input. What they change is checked again before it is used. */
export function runPreHooks(call: ValidatedCall, scope: CallScope): MaybePromise<HookedCall> {
  const hooks = hooksFor('PreToolUse', scope)
  return hooks === undefined ? enter<HookedCall>(call) : askHooks(call, hooks, scope)
}

async function askHooks(call: ValidatedCall, hooks: HookRunner, scope: CallScope): Promise<HookedCall> {
  const { toolUse, parentMessage, tool } = call
  const observed = scope.observe(call.input)
  const outcome = await hooks.run(
    'PreToolUse',
    { tool_name: tool.name, tool_input: observed, tool_use_id: toolUse.id },
    hookOptions(scope, observed),
  )
  scope.hear(outcome)
  scope.control.throwIfCancelled(tool.name)
  if (outcome.cancelled) throw new ToolCallError('cancelled', `${tool.name} was cancelled while its hooks ran.`)
  if (outcome.stop !== undefined)
    throw new ToolCallError('hook_blocked', `A hook stopped the conversation: ${outcome.stop}`)
  const { permission, updatedInput } = outcome
  // An input that a denied call would have had is of no interest.
  const input = permission?.behavior === 'deny' ? call.input : await recheckHookInput(call, updatedInput, scope)
  const hooked = { toolUse, parentMessage, tool, input }
  return enter<HookedCall>(permission === undefined ? hooked : { ...hooked, opinion: permission })
}
