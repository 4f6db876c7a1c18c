import { ToolCallError } from '../contract/errors.js'
import type { ToolResultBlock } from '../contract/messages.js'
import type { PermissionDecision } from '../contract/permission/result.js'
import type { CanUseTool, Tool, ToolResult } from '../contract/tool/tool.js'
import { isToolEnabled } from '../contract/tool/traits.js'
import { andThen, type MaybePromise } from '../shared/maybe-promise.js'
import { asToolCallError } from './as-tool-call-error.js'
import type { Call, CallOutcome, Input } from './call.js'
import { copyPlain } from './copy-plain.js'
import { analyseText, completeAnalysis } from './steps/analyse-command.js'
import { type SavedCall, saveCheckpoint, settleCheckpoint } from './steps/checkpoint.js'
import { findNestedTool, findTool } from './steps/find-tool.js'
import { type ParsedCall, parseInput } from './steps/parse-input.js'
import { requirePermission } from './steps/require-permission.js'
import { runFailureHooks, runPostHooks } from './steps/run-post-hooks.js'
import { runPreHooks } from './steps/run-pre-hooks.js'
import { runTool } from './steps/run-tool.js'
import { serialiseResult, toErrorResult } from './steps/serialise-result.js'
import { validateInput } from './steps/validate-input.js'

/** The steps before the call is scheduled: finds the tool, parses the input and analyses its command. Throws if a step fails. */
export async function prepareCall(call: Call): Promise<ParsedCall> {
  const foundCall = call.measureStep('find', () => findTool(call))
  const parsed = andThen(foundCall, (known) => call.measureStep('parse', () => parseInput(known)))
  return call.untilCancelled(andThen(parsed, analyseText))
}

/** All further steps, in order, after the schedule has released the call. Never rejects: every call has exactly one outcome. */
export async function performCall(parsed: ParsedCall): Promise<CallOutcome> {
  const { call } = parsed
  try {
    call.begin()
    const saved = await call.untilCancelled(permitCall(parsed))
    const returned = await call.measureStep('call', () => runTool(saved, canUseToolFor(call)))
    const reviewed = await call.untilCancelled(call.measureStep('post-hooks', () => runPostHooks(returned)))
    const block = call.measureStep('serialise', () => serialiseResult(reviewed))
    if (call.hasCheckpoint) await settleCheckpoint(call)
    return toSuccessOutcome(call, block, reviewed.result)
  } catch (error) {
    return failCall(call, error)
  }
}

/**
 * The steps that must succeed before the tool runs. Each step first checks that the call is not cancelled. For most calls
 * none of them has to wait, so the call passes through all of them at once.
 */
function permitCall(parsed: ParsedCall): MaybePromise<SavedCall> {
  const { call } = parsed
  const validated = call.runStep('validate', () => validateInput(parsed))
  const hooked = andThen(validated, (known) => {
    void call.measureStep('classify', () => completeAnalysis(known))
    return call.runStep('pre-hooks', () => runPreHooks(known))
  })
  const allowed = andThen(hooked, (known) => call.runStep('permission', () => requirePermission(known)))
  const admitted = andThen(allowed, (known) => andThen(call.admit(known.input), () => known))
  return andThen(admitted, (known) => call.runStep('checkpoint', () => saveCheckpoint(known)))
}

function toSuccessOutcome(call: Call, block: ToolResultBlock, result: ToolResult<unknown>): CallOutcome {
  const { newMessages, contextModifier, onShown } = result
  return {
    block,
    ...(call.tool !== undefined && { tool: call.tool }),
    ...(Array.isArray(newMessages) && { newMessages }),
    ...(typeof contextModifier === 'function' && { contextModifier }),
    ...(typeof onShown === 'function' && { onShown }),
  }
}

async function failCall(call: Call, thrown: unknown): Promise<CallOutcome> {
  const error = asToolCallError(call.toolName, thrown)
  const { allowed } = call
  if (allowed !== undefined && !call.hasReturned) {
    try {
      await call.measureStep('failure-hooks', () => runFailureHooks(allowed, error))
    } catch {
      // The call has failed already; only the hooks' comments are lost.
    }
  }
  if (call.hasCheckpoint) await settleCheckpoint(call)
  return toErrorOutcome(call, error)
}

export function toErrorOutcome(call: Call, thrown: unknown): CallOutcome {
  const error: ToolCallError = asToolCallError('The call', thrown)
  const block = toErrorResult(call.toolUse.id, error, call.notes)
  return { error, block, ...(call.tool !== undefined && { tool: call.tool }) }
}

/** `canUseTool`: a call that a tool makes itself goes through all steps up to the checkpoint, like any other call. */
function canUseToolFor(outer: Call): CanUseTool {
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
  const call = outer.createNested(tool, input)
  try {
    const foundCall = findNestedTool(call, tool, isToolEnabled)
    const parsed = await call.untilCancelled(call.runStep('parse', () => parseInput(foundCall)))
    await call.untilCancelled(analyseText(parsed))
    const { input: permitted } = await call.untilCancelled(permitCall(parsed))
    throwIfOver(outer)
    outer.adoptJudgedPaths(call)
    outer.addNotes(call.notes)
    return copyPlain(permitted)
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
