import { ToolCallError } from '../../contract/errors.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { CallScope } from '../call-scope.js'
import { enter, type FoundCall, type HookedCall, type Input, type ValidatedCall } from '../call-states.js'
import { changedInput } from './changed-input.js'
import { parseInput } from './parse-input.js'
import { validateInput } from './validate-input.js'

/** Parses and validates an input that somebody changed, as if the model had sent it; the same input where nobody did. */
export async function recheckInput(
  call: ValidatedCall | HookedCall,
  updated: unknown,
  scope: CallScope,
): Promise<Input> {
  const { tool, toolUse, parentMessage, input } = call
  const wanted = changedInput(input, scope.observe(input), updated)
  if (wanted === input) return input
  const changed = { type: toolUse.type, id: toolUse.id, name: toolUse.name, input: wanted }
  const parsed = await parseInput(enter<FoundCall>({ toolUse: changed, parentMessage, tool }), scope.host.isSchemaSent)
  return (await validateInput(parsed, scope)).input
}

/** The same for an input that a hook changed; what it broke is the hook's fault and not the model's. */
export async function recheckHookInput(
  call: ValidatedCall | HookedCall,
  updated: unknown,
  scope: CallScope,
): Promise<Input> {
  try {
    return await recheckInput(call, updated, scope)
  } catch (cause) {
    const message = `A hook changed the input into one that ${call.tool.name} cannot take. ${reasonOf(cause)}`
    throw new ToolCallError('hook_input_invalid', message, { cause })
  }
}
