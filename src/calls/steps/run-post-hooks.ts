import { ToolCallError } from '../../contract/errors.js'
import type { HookRunner } from '../../hooks/create-hook-runner.js'
import type { HookOutcome } from '../../hooks/merge-results.js'
import { isObject } from '../../shared/is-record.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { CallScope } from '../call-scope.js'
import { enter, type ReturnedCall, type ReviewedCall } from '../call-states.js'
import { hookOptions, hooksFor } from './hooks-for.js'
import { issueLines } from './issue-lines.js'

/** Runs the PostToolUse hooks. They may replace the output of any tool, if the replacement fits its output schema. */
export function runPostHooks(call: ReturnedCall, scope: CallScope): MaybePromise<ReviewedCall> {
  const hooks = hooksFor('PostToolUse', scope)
  return hooks === undefined ? enter<ReviewedCall>(call) : askHooks(call, hooks, scope)
}

async function askHooks(call: ReturnedCall, hooks: HookRunner, scope: CallScope): Promise<ReviewedCall> {
  const { tool, toolUse, input, result } = call
  const observed = scope.observe(input)
  const outcome = await hooks.run(
    'PostToolUse',
    { tool_name: tool.name, tool_input: observed, tool_use_id: toolUse.id, tool_response: result.data },
    hookOptions(scope, observed),
  )
  hearFeedback(outcome, scope)
  // A hook that was not heard out may have meant to hide what the tool gave.
  if (outcome.cancelled) throw new ToolCallError('cancelled', `${tool.name} was cancelled while its hooks ran.`)
  if (outcome.updatedOutput === undefined) return enter<ReviewedCall>(call)
  const data = await checkedOutput(call, outcome.updatedOutput.value)
  // What came beside the output was made from the one that is replaced.
  const { mcpMeta, onShown, ...rest } = result
  return enter<ReviewedCall>({ ...call, result: { ...rest, data } })
}

/** A replacement that does not fit withholds the result: what it was meant to hide stays hidden. */
async function checkedOutput({ tool }: ReturnedCall, value: unknown): Promise<unknown> {
  if (tool.outputSchema === undefined) return value
  const withheld = `A hook replaced the output of ${tool.name} by one that does not fit its schema, so it is withheld`
  let check: unknown
  try {
    check = await tool.outputSchema['~standard'].validate(value)
  } catch (cause) {
    throw new ToolCallError('output_invalid', `${withheld}: ${reasonOf(cause)}`, { cause })
  }
  if (isObject(check) && Array.isArray(check.issues))
    throw new ToolCallError('output_invalid', `${withheld}:\n${issueLines(check.issues, value)}`)
  if (isObject(check) && 'value' in check) return check.value
  throw new ToolCallError('output_invalid', `${withheld}: the schema gave no answer.`)
}

/** What a Post hook objects to, and why it ends the conversation, is feedback to the model. */
export function hearFeedback(outcome: HookOutcome, scope: CallScope): void {
  const { blocked, stop } = outcome
  const feedback = [blocked, stop].filter((text) => text !== undefined)
  if (feedback.length > 0) scope.notes = [...scope.notes, ...feedback]
  scope.hear(outcome)
}
