import { ToolCallError } from '../contract/errors.js'
import type { ToolContext } from '../contract/tool.js'
import type { HookRunner } from '../hooks/create-hook-runner.js'
import { createRuleTester } from '../hooks/create-rule-tester.js'
import type { HookOutcome } from '../hooks/merge-results.js'
import type { MaybePromise } from '../shared/maybe-promise.js'
import { enter, type HookedCall, type Input, type ValidatedCall } from './call-states.js'
import { hookNames } from './hook-names.js'
import { observableInput } from './observable-input.js'

const NO_NOTES: readonly string[] = []

/** Parses and validates an input anew, as if the model had sent it. */
export type Recheck = (call: ValidatedCall, input: unknown) => Promise<Input>

/** Runs the PreToolUse hooks on the observable copy of the input. What they change is checked again before it is used. */
export function runPreHooks(
  call: ValidatedCall,
  {
    hooks,
    context,
    recheck,
    report,
  }: { hooks: HookRunner | undefined; context: ToolContext; recheck: Recheck; report: (outcome: HookOutcome) => void },
): MaybePromise<HookedCall> {
  const { toolUse, parentMessage, tool, input } = call
  if (hooks === undefined || !hooks.hasHooks('PreToolUse', tool.name, ...hookNames(tool))) {
    return enter<HookedCall>({ toolUse, parentMessage, tool, input, notes: NO_NOTES })
  }
  return askHooks(call, { hooks, context, recheck, report })
}

async function askHooks(
  call: ValidatedCall,
  {
    hooks,
    context,
    recheck,
    report,
  }: { hooks: HookRunner; context: ToolContext; recheck: Recheck; report: (outcome: HookOutcome) => void },
): Promise<HookedCall> {
  const { toolUse, parentMessage, tool } = call
  const observed = observableInput(tool, call.input)
  const outcome = await hooks.run(
    'PreToolUse',
    { tool_name: tool.name, tool_input: observed, tool_use_id: toolUse.id },
    { signal: context.signal, names: hookNames(tool), matchesRule: createRuleTester(tool, observed) },
  )
  report(outcome)
  if (outcome.stop !== undefined)
    throw new ToolCallError('hook_blocked', `A hook stopped the conversation: ${outcome.stop}`)
  const input =
    outcome.updatedInput === undefined ? call.input : await changedInput(call, outcome.updatedInput, recheck)
  return enter<HookedCall>({
    ...{ toolUse, parentMessage, tool, input },
    notes: outcome.additionalContext,
    ...(outcome.permission !== undefined && { opinion: outcome.permission }),
  })
}

async function changedInput(call: ValidatedCall, updated: unknown, recheck: Recheck): Promise<Input> {
  try {
    return await recheck(call, updated)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ToolCallError(
      'hook_input_invalid',
      `A hook changed the input into one that ${call.tool.name} cannot take. ${reason}`,
      { cause },
    )
  }
}
