import type { ToolCallError } from '../contract/errors.js'
import type { ToolResultBlock } from '../contract/messages.js'
import type { ToolResult } from '../contract/tool/tool.js'
import { asToolCallError } from './as-tool-call-error.js'
import type { Call, CallOutcome } from './call.js'
import { canUseToolFor } from './nested-calls.js'
import { startCommandAnalysis } from './steps/analyse-command.js'
import { saveCheckpoint, settleCheckpoint } from './steps/checkpoint.js'
import { findTool } from './steps/find-tool.js'
import { type ParsedCall, parseInput } from './steps/parse-input.js'
import { type AllowedCall, requirePermission } from './steps/require-permission.js'
import { runFailureHooks, runPostHooks } from './steps/run-post-hooks.js'
import { runPreHooks } from './steps/run-pre-hooks.js'
import { runTool } from './steps/run-tool.js'
import { errorResult, serialiseResult } from './steps/serialise-result.js'
import { validateInput } from './steps/validate-input.js'

/** Steps 0 and 1, before the call is scheduled: finds the tool and parses the input. Throws if either fails. */
export async function prepareCall(call: Call): Promise<ParsedCall> {
  const found = await call.step('find', () => findTool(call))
  return call.step('parse', () => parseInput(found))
}

/** Steps 2 to 7, in order, after the schedule has released the call. Never rejects: every call has exactly one outcome. */
export async function performCall(parsed: ParsedCall): Promise<CallOutcome> {
  const { call } = parsed
  let allowed: AllowedCall | undefined
  try {
    call.begin()
    const validated = await call.step('validate', () => validateInput(parsed))
    void call.timed('classify', () => startCommandAnalysis(validated))
    const hooked = await call.step('pre-hooks', () => runPreHooks(validated))
    allowed = await call.step('permission', () => requirePermission(hooked))
    await call.untilCancelled(call.run.admit(call, allowed.input))
    const saved = await call.step('checkpoint', () => saveCheckpoint(allowed as AllowedCall))
    const returned = await call.timed('call', () => runTool(saved, canUseToolFor(call)))
    const reviewed = await call.step('post-hooks', () => runPostHooks(returned))
    const block = await call.timed('serialise', () => serialiseResult(reviewed))
    if (call.hasCheckpoint) await settleCheckpoint(call)
    return successOutcome(call, block, reviewed.result)
  } catch (error) {
    return failCall(call, error, allowed)
  }
}

function successOutcome(call: Call, block: ToolResultBlock, result: ToolResult<unknown>): CallOutcome {
  const { newMessages, contextModifier, onShown } = result
  return {
    block,
    ...(call.tool !== undefined && { tool: call.tool }),
    ...(Array.isArray(newMessages) && { newMessages }),
    ...(typeof contextModifier === 'function' && { contextModifier }),
    ...(typeof onShown === 'function' && { onShown }),
  }
}

async function failCall(call: Call, thrown: unknown, allowed: AllowedCall | undefined): Promise<CallOutcome> {
  const error = asToolCallError(call.toolName, thrown)
  if (allowed !== undefined && !call.hasReturned) {
    try {
      await call.timed('failure-hooks', () => runFailureHooks(allowed, error))
    } catch {
      // The call has failed already; only the hooks' comments are lost.
    }
  }
  if (call.hasCheckpoint) await settleCheckpoint(call)
  return errorOutcome(call, error)
}

/** The outcome of a call that failed, at any step. */
export function errorOutcome(call: Call, thrown: unknown): CallOutcome {
  const error: ToolCallError = asToolCallError('The call', thrown)
  const block = errorResult(call.toolUse.id, error, call.notes)
  return { error, block, ...(call.tool !== undefined && { tool: call.tool }) }
}
