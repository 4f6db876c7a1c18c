import { ToolCallError } from '../contract/errors.js'
import type { ToolContext, ToolResult } from '../contract/tool.js'
import type { HookRunner } from '../hooks/create-hook-runner.js'
import { createRuleTester } from '../hooks/create-rule-tester.js'
import type { HookOutcome } from '../hooks/merge-results.js'
import type { MaybePromise } from '../shared/maybe-promise.js'
import type { AllowedCall } from './call-states.js'
import { hookNames } from './hook-names.js'
import { issueLines } from './issue-lines.js'
import { observableInput } from './observable-input.js'

/** A call that ended well, with what its hooks had to say to the model. */
export interface ReturnedCall {
  readonly result: ToolResult<unknown>
  readonly feedback: readonly string[]
}

interface PostStep {
  readonly hooks: HookRunner | undefined
  readonly context: ToolContext
  readonly report: (outcome: HookOutcome) => void
}

const NO_FEEDBACK: readonly string[] = []

/** Runs the PostToolUse hooks. They may replace the output of any tool, if the replacement fits its output schema. */
export function runPostHooks(
  call: AllowedCall,
  result: ToolResult<unknown>,
  step: PostStep,
): MaybePromise<ReturnedCall> {
  const { tool } = call
  if (step.hooks === undefined || !step.hooks.hasHooks('PostToolUse', tool.name, ...hookNames(tool)))
    return { result, feedback: NO_FEEDBACK }
  return askHooks(call, result, { ...step, hooks: step.hooks })
}

async function askHooks(
  call: AllowedCall,
  result: ToolResult<unknown>,
  { hooks, context, report }: PostStep & { hooks: HookRunner },
): Promise<ReturnedCall> {
  const { tool, toolUse, input } = call
  const observed = observableInput(tool, input)
  const outcome = await hooks.run(
    'PostToolUse',
    { tool_name: tool.name, tool_input: observed, tool_use_id: toolUse.id, tool_response: result.data },
    { signal: context.signal, names: hookNames(tool), matchesRule: createRuleTester(tool, observed) },
  )
  report(outcome)
  const data =
    outcome.updatedOutput === undefined ? result.data : await checkedOutput(call, outcome.updatedOutput.value)
  return { result: { ...result, data }, feedback: feedbackOf(outcome) }
}

/** A hook may have meant to hide what the tool gave: a replacement that does not fit withholds the result. */
async function checkedOutput({ tool }: AllowedCall, value: unknown): Promise<unknown> {
  const check = await tool.outputSchema?.['~standard'].validate(value)
  if (check?.issues === undefined) return value
  const lines = issueLines(check.issues, value)
  throw new ToolCallError(
    'output_invalid',
    `A hook replaced the output of ${tool.name} by one that does not fit its schema, so it is withheld:\n${lines}`,
  )
}

/** Tells the hooks of a call that failed; they can comment on it, and change nothing. */
export async function runFailureHooks(
  call: AllowedCall,
  error: ToolCallError,
  { hooks, context, report }: PostStep,
): Promise<readonly string[]> {
  const { tool, toolUse, input } = call
  if (hooks === undefined || !hooks.hasHooks('PostToolUseFailure', tool.name, ...hookNames(tool))) return NO_FEEDBACK
  const outcome = await hooks.run(
    'PostToolUseFailure',
    { tool_name: tool.name, tool_input: observableInput(tool, input), tool_use_id: toolUse.id, error: error.message },
    // A cancelled call has an aborted signal; its hooks are told all the same.
    { ...(context.signal.aborted ? {} : { signal: context.signal }), names: hookNames(tool) },
  )
  report(outcome)
  return feedbackOf(outcome)
}

function feedbackOf({ blocked, stop, additionalContext }: HookOutcome): readonly string[] {
  return [...(blocked === undefined ? [] : [blocked]), ...(stop === undefined ? [] : [stop]), ...additionalContext]
}
