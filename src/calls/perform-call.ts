import { ToolCallError } from '../contract/errors.js'
import type { ToolResultBlock } from '../contract/messages.js'
import type { PermissionDecision } from '../contract/permission/result.js'
import type { CanUseTool, Tool, ToolResult } from '../contract/tool/tool.js'
import { isToolEnabled } from '../contract/tool/traits.js'
import { isRecord } from '../shared/is-record.js'
import { andThen, type MaybePromise } from '../shared/maybe-promise.js'
import { asToolCallError } from './as-tool-call-error.js'
import type { Call, Input } from './call.js'
import type { CallOutcome } from './call-outcome.js'
import { copyPlain } from './copy-plain.js'
import type { NestedEffects } from './nested-calls.js'
import { analyseText, completeAnalysis } from './steps/analyse-command.js'
import { type SavedCall, saveCheckpoint, settleCheckpoint } from './steps/checkpoint.js'
import { startClassifier } from './steps/decide-call.js'
import { findNestedTool, findTool } from './steps/find-tool.js'
import { type ParsedCall, parseInput, validateInput } from './steps/parse-input.js'
import { requirePermission } from './steps/require-permission.js'
import { runFailureHooks, runPostHooks } from './steps/run-post-hooks.js'
import { runPreHooks } from './steps/run-pre-hooks.js'
import { runTool } from './steps/run-tool.js'
import { serialiseResult, toErrorResult } from './steps/serialise-result.js'

/**
 * Runs the steps before the call is scheduled: finds the tool, parses the input and analyses its command. Throws if a step
 * fails.
 */
export async function prepareCall(call: Call): Promise<ParsedCall> {
  const foundCall = call.runStep('find', findTool, call)
  const parsedCall = call.runStep('parse', parseInput, foundCall)
  return andThen(parsedCall, (parsed) => call.raceWithCancellation(analyseText(parsed)))
}

/**
 * Runs all further steps, in order, after the schedule has released the call. Never rejects: every call has exactly one
 * outcome.
 */
export async function performCall(parsedCall: ParsedCall): Promise<CallOutcome> {
  const { call } = parsedCall
  try {
    call.begin()
    const savedCall = permitCall(parsedCall)
    const recordedCall = andThen(savedCall, (saved) => andThen(waitUntilRecorded(call), () => saved))
    const returnedCall = await andThen(recordedCall, (saved) =>
      call.measureStep('call', runTool, saved, canUseToolFor(call)),
    )
    const nestedEffects = call.nestedCalls && (await call.nestedCalls.close())
    const reviewedCall = await call.raceWithCancellation(call.measureStep('post-hooks', runPostHooks, returnedCall))
    const block = call.measureStep('serialise', serialiseResult, reviewedCall)
    if (call.hasCheckpoint) await settleCheckpoint(call)
    const { userMessage } = reviewedCall.result
    if (userMessage !== undefined)
      call.emit({ type: 'user-messaged', toolUseId: call.toolUse.id, at: Date.now(), ...userMessage })
    return withNestedEffects(toSuccessOutcome(call, block, reviewedCall.result), nestedEffects)
  } catch (error) {
    return failCall(call, error)
  }
}

/** Runs the steps that must succeed before the tool runs. None of them begins after the call was cancelled. */
function permitCall(parsedCall: ParsedCall): MaybePromise<SavedCall> {
  const { call } = parsedCall
  const validatedCall = call.runStep('validate', validateInput, parsedCall)
  const hookedCall = andThen(validatedCall, (validated) => {
    void call.measureStep('classify', completeAnalysis, validated)
    startClassifier(validated)
    return call.runStep('pre-hooks', runPreHooks, validated)
  })
  const decidedCall = call.runStep('permission', requirePermission, hookedCall)
  const stopClassifier = () => call.classification.cancel()
  const allowedCall = decidedCall instanceof Promise ? decidedCall.finally(stopClassifier) : decidedCall
  const admittedCall = andThen(allowedCall, (allowed) => {
    return andThen(call.raceWithCancellation(call.admit(allowed.input)), () => allowed)
  })
  return call.runStep('checkpoint', saveCheckpoint, admittedCall)
}

/** Waits until the start of the call is recorded, if the host keeps a durable record. */
function waitUntilRecorded(call: Call): MaybePromise<void> {
  const recorded = call.environment.waitUntilRecorded?.()
  return recorded === undefined ? undefined : call.raceWithCancellation(recorded)
}

function toSuccessOutcome(call: Call, block: ToolResultBlock, result: ToolResult<unknown>): CallOutcome {
  const { newMessages, contextModifier, onShown, mcpMeta } = result
  return {
    block,
    output: result.data,
    ...(isRecord(mcpMeta) && { mcpMeta }),
    tool: call.tool,
    newMessages: Array.isArray(newMessages) ? newMessages : undefined,
    contextModifier: typeof contextModifier === 'function' ? contextModifier : undefined,
    onShown: typeof onShown === 'function' ? onShown : undefined,
  }
}

/** Adds what nested calls change for later calls. The changes by the outer tool itself come last. */
function withNestedEffects(outcome: CallOutcome, nestedEffects: NestedEffects | undefined): CallOutcome {
  if (nestedEffects === undefined) return outcome
  const { newMessages = [], contextModifier: modifyNested } = nestedEffects
  const { newMessages: ownMessages = [], contextModifier: modifyOwn } = outcome
  return {
    ...outcome,
    newMessages: [...newMessages, ...ownMessages],
    contextModifier:
      modifyNested === undefined || modifyOwn === undefined
        ? (modifyOwn ?? modifyNested)
        : (context) => modifyOwn(modifyNested(context)),
  }
}

async function failCall(call: Call, thrownValue: unknown): Promise<CallOutcome> {
  const error = asToolCallError(call.toolName, thrownValue)
  const nestedEffects = call.nestedCalls && (await call.nestedCalls.close())
  const { allowedCall } = call
  if (allowedCall !== undefined && !call.hasReturned) {
    try {
      await call.measureStep('failure-hooks', runFailureHooks, allowedCall, error)
    } catch {
      // The call has failed already; only the hooks' comments are lost.
    }
  }
  if (call.hasCheckpoint) await settleCheckpoint(call)
  return withNestedEffects(toErrorOutcome(call, error), nestedEffects)
}

export function toErrorOutcome(call: Call, thrownValue: unknown): CallOutcome {
  const error: ToolCallError = asToolCallError('The call', thrownValue)
  const block = toErrorResult(call.toolUse.id, error, call)
  return { error, block, ...(call.tool !== undefined && { tool: call.tool }) }
}

/** Creates `canUseTool`: a call that a tool makes itself goes through all steps up to the checkpoint, like any other call. */
function canUseToolFor(outerCall: Call): CanUseTool {
  return async (tool, input): Promise<PermissionDecision> => {
    try {
      return { behavior: 'allow', updatedInput: await permitNested(outerCall, tool, input) }
    } catch (error) {
      return { behavior: 'deny', message: asToolCallError(getName(tool), error).message }
    }
  }
}

async function permitNested(outerCall: Call, tool: Tool, input: unknown): Promise<Input> {
  throwIfOver(outerCall)
  const call = outerCall.createNested(tool, input)
  try {
    const foundCall = findNestedTool(call, tool, isToolEnabled)
    const parsedCall = await call.runStep('parse', parseInput, foundCall)
    await call.raceWithCancellation(analyseText(parsedCall))
    const { input: permittedInput } = await permitCall(parsedCall)
    throwIfOver(outerCall)
    outerCall.adoptJudgedPaths(call)
    outerCall.addNotes(call.notes)
    outerCall.inputChanges = [...outerCall.inputChanges, ...call.inputChanges]
    return copyPlain(permittedInput)
  } finally {
    outerCall.absorb(call)
  }
}

/** Throws if the call is over, because an abandoned tool must not ask the user anything. */
function throwIfOver(outerCall: Call): void {
  if (outerCall.isOver)
    throw new ToolCallError('cancelled', `${outerCall.toolName} has ended and can make no further calls.`)
}

function getName(tool: Tool): string {
  return typeof tool?.name === 'string' ? tool.name : 'The nested call'
}
