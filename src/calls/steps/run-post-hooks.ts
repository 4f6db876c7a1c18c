import { ToolCallError } from '../../contract/errors.js'
import type { ToolResult } from '../../contract/tool/tool.js'
import type { HookOutcome } from '../../hooks/answer/merge-results.js'
import type { HookRunner } from '../../hooks/create-hook-runner.js'
import { isObject } from '../../shared/is-record.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { Call, KnownCall } from '../call.js'
import { describeIssues } from './issue-lines.js'
import { hookOptionsFor, hooksFor } from './run-pre-hooks.js'
import type { ReturnedCall } from './run-tool.js'

declare const reviewedBrand: unique symbol

/** A call whose PostToolUse hooks have run. An output that they replaced matches the output schema. */
export interface ReviewedCall extends KnownCall {
  readonly [reviewedBrand]: true
  readonly result: ToolResult<unknown>
}

/** Runs the PostToolUse hooks. They may replace the output of any tool if the replacement matches its output schema. */
export function runPostHooks(returnedCall: ReturnedCall): MaybePromise<ReviewedCall> {
  const hooks = hooksFor('PostToolUse', returnedCall)
  return hooks === undefined ? toReviewedCall(returnedCall, returnedCall.result) : runHooks(returnedCall, hooks)
}

async function runHooks(returnedCall: ReturnedCall, hooks: HookRunner): Promise<ReviewedCall> {
  const { call, tool, input, result } = returnedCall
  const observedInput = call.observe(input)
  const fields = call.hookFields(tool.name, observedInput)
  const outcome = await hooks.run(
    'PostToolUse',
    { ...fields, tool_response: result.data },
    hookOptionsFor(returnedCall, observedInput),
  )
  receiveFeedback(call, outcome)
  // A hook that did not finish may have been about to hide the output.
  if (outcome.cancelled) throw new ToolCallError('cancelled', `${tool.name} was cancelled while its hooks ran.`)
  if (outcome.updatedOutput === undefined) return toReviewedCall(returnedCall, result)
  const data = await checkOutput(returnedCall, outcome.updatedOutput.value)
  // `mcpMeta` and `onShown` belong to the output that is now replaced.
  const { mcpMeta, onShown, ...otherFields } = result
  return toReviewedCall(returnedCall, { ...otherFields, data })
}

function toReviewedCall({ call, tool, input }: KnownCall, result: ToolResult<unknown>): ReviewedCall {
  return { call, tool, input, result } as ReviewedCall
}

/** Runs the PostToolUseFailure hooks of a failed call. They can comment on the failure but change nothing. */
export async function runFailureHooks(failedCall: KnownCall, { message }: ToolCallError): Promise<void> {
  const hooks = hooksFor('PostToolUseFailure', failedCall)
  if (hooks === undefined) return
  const { call, tool, input } = failedCall
  const observedInput = call.observe(input)
  const error = call.environment.secrets?.maskText(message) ?? message
  const fields = { ...call.hookFields(tool.name, observedInput), error }
  receiveFeedback(call, await hooks.run('PostToolUseFailure', fields, hookOptionsFor(failedCall, observedInput)))
}

/**
 * Checks a replaced output. If it does not match, the result is withheld, because the hook may have replaced it to hide
 * something.
 */
async function checkOutput({ tool }: ReturnedCall, value: unknown): Promise<unknown> {
  if (tool.outputSchema === undefined) return value
  const problem = `A hook replaced the output of ${tool.name} with one that does not match its schema, so the output is withheld`
  let check: unknown
  try {
    check = await tool.outputSchema['~standard'].validate(value)
  } catch (cause) {
    throw new ToolCallError('output_invalid', `${problem}: ${reasonOf(cause)}`, { cause })
  }
  if (isObject(check) && Array.isArray(check.issues))
    throw new ToolCallError('output_invalid', `${problem}:\n${describeIssues(check.issues, value)}`)
  if (isObject(check) && 'value' in check) return check.value
  throw new ToolCallError('output_invalid', `${problem}: its output schema returned no result.`)
}

/** Adds the feedback of PostToolUse hooks for the model: their blocking reasons, and their reason to end the conversation. */
function receiveFeedback(call: Call, outcome: HookOutcome): void {
  const { blocked, stop } = outcome
  call.addNotes([blocked, stop].filter((text) => text !== undefined))
  call.receiveHookOutcome(outcome)
}
