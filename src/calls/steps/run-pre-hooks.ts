import { ToolCallError } from '../../contract/errors.js'
import { ruleNamesOf } from '../../contract/tool/rule-names.js'
import type { Tool } from '../../contract/tool/tool.js'
import type { HookEvent } from '../../hooks/config/hook-events.js'
import type { HookRunner, HookRunOptions } from '../../hooks/create-hook-runner.js'
import { createRuleTester } from '../../hooks/create-rule-tester.js'
import { type ContentTest, createContentTest } from '../../permissions/rules/create-content-test.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { Input, KnownCall } from '../call.js'
import { completeAnalysis } from './analyse-command.js'
import { recordInputChange } from './describe-input-change.js'
import { withInput } from './find-tool.js'
import { parseInput, type ValidatedCall, validateInput } from './parse-input.js'

declare const hookedBrand: unique symbol

/** A call whose PreToolUse hooks have run. An input that they changed was parsed and validated again. */
export interface HookedCall extends KnownCall {
  readonly [hookedBrand]: true
  /** The hooks' decision, if they made one. */
  readonly opinion?: { readonly behavior: 'allow' | 'deny' | 'ask'; readonly reason?: string }
}

/** Runs the PreToolUse hooks. An input that they change is checked again before it is used. */
export function runPreHooks(validatedCall: ValidatedCall): MaybePromise<HookedCall> {
  const hooks = hooksFor('PreToolUse', validatedCall)
  const { call, tool, input } = validatedCall
  return hooks === undefined ? ({ call, tool, input } as HookedCall) : runHooks(validatedCall, hooks)
}

async function runHooks(validatedCall: ValidatedCall, hooks: HookRunner): Promise<HookedCall> {
  const { call, tool, input } = validatedCall
  const observedInput = call.observe(input)
  const fields = call.hookFields(tool.name, observedInput)
  const outcome = await hooks.run('PreToolUse', fields, hookOptionsFor(validatedCall, observedInput))
  call.receiveHookOutcome(outcome)
  call.throwIfCancelled()
  if (outcome.cancelled) throw new ToolCallError('cancelled', `${tool.name} was cancelled while its hooks ran.`)
  if (outcome.stop !== undefined)
    throw new ToolCallError('hook_blocked', `A hook stopped the conversation: ${outcome.stop}`)
  const { permission, updatedInput } = outcome
  const unchangedCall = { call, tool, input } as HookedCall
  // The input of a denied call does not matter.
  if (permission?.behavior === 'deny') return { ...unchangedCall, opinion: permission }
  const recheckedCall = await recheckHookInput(unchangedCall, updatedInput)
  return permission === undefined ? recheckedCall : { ...recheckedCall, opinion: permission }
}

/** Parses and validates a changed input as if the model had sent it. Returns the same object if nothing changed. */
export async function recheckInput(hookedCall: HookedCall, updatedInput: unknown): Promise<HookedCall> {
  const { call, input } = hookedCall
  const mergedInput = mergeInputChanges(input, call.observe(input), updatedInput)
  if (mergedInput === input) return hookedCall
  const validatedCall = await validateInput(await parseInput(withInput(hookedCall, mergedInput)))
  return { ...hookedCall, input: validatedCall.input }
}

/** Like `recheckInput`, for an input that a hook changed: the error says that the hook changed it. */
export async function recheckHookInput(hookedCall: HookedCall, updatedInput: unknown): Promise<HookedCall> {
  try {
    const changedCall = await recheckInput(hookedCall, updatedInput)
    recordInputChange(hookedCall, { by: 'A hook', before: hookedCall.input, after: changedCall.input })
    return changedCall
  } catch (cause) {
    const message = `A hook changed the input to one that ${hookedCall.tool.name} does not accept. ${reasonOf(cause)}`
    throw new ToolCallError('hook_input_invalid', message, { cause })
  }
}

/**
 * Merges the changes of a hook or user, who saw the observable copy of the input, into the original input. Unchanged fields
 * keep their original value, so that neither the schema nor the call gets derived fields. Returns the same object if nothing changed.
 */
export function mergeInputChanges(input: Input, observedInput: Input, updatedInput: unknown): unknown {
  if (updatedInput === undefined || updatedInput === observedInput || updatedInput === input) return input
  if (typeof updatedInput !== 'object' || updatedInput === null || Array.isArray(updatedInput)) return updatedInput
  const mergedInput: Input = {}
  for (const [key, value] of Object.entries(updatedInput)) {
    if (Object.hasOwn(observedInput, key) && isEqual(value, observedInput[key])) {
      if (Object.hasOwn(input, key)) defineField(mergedInput, key, input[key])
    } else defineField(mergedInput, key, value)
  }
  return isEqual(mergedInput, input) ? input : mergedInput
}

/** Sets a property. Unlike an assignment, this also creates a property named `__proto__`. */
function defineField(target: Input, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}

/** Whether two values of plain data are deeply equal, in any order of fields. Other objects are compared by identity. */
function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isEqual(item, b[index]))
  }
  if (Object.getPrototypeOf(a) !== Object.prototype || Object.getPrototypeOf(b) !== Object.prototype) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isEqual((a as Input)[key], (b as Input)[key]))
  )
}

/** Returns the hook runner only if a hook matches this event and tool, so that other calls skip the step. */
export function hooksFor(event: HookEvent, { call, tool }: Pick<KnownCall, 'call' | 'tool'>): HookRunner | undefined {
  const { hooks } = call.environment
  return hooks?.hasHooks(event, tool.name, ...listOtherNames(tool)) === true ? hooks : undefined
}

/** Returns the options of every hook run of a call, in addition to the fields of its event. */
export function hookOptionsFor({ call, tool }: Pick<KnownCall, 'call' | 'tool'>, observedInput: Input): HookRunOptions {
  // The working directory may have changed since the text of the command was analysed.
  const command = call.command?.cwd === call.cwd ? call.command : undefined
  const matchesRule = createRuleTester(
    tool,
    observedInput,
    createCallContentTest({ call, tool }, observedInput),
    command,
  )
  const options = { names: listOtherNames(tool), matchesRule }
  const { cancellation } = call
  // Hooks also run for a cancelled call, for at most its grace period.
  if (cancellation.reason !== undefined) return { ...options, signal: AbortSignal.timeout(cancellation.graceMs) }
  // The tool may have aborted its own signal, but its hooks must still run.
  return cancellation.signal.aborted ? options : { ...options, signal: cancellation.signal }
}

function createCallContentTest({ call, tool }: Pick<KnownCall, 'call' | 'tool'>, input: Input): ContentTest {
  const { pathContext, decisionPorts } = call.environment
  const callFields = { tool, input, pathContext: { ...pathContext, cwd: call.cwd } }
  const findCall = async () => ({ ...callFields, command: await completeAnalysis({ call, tool, input }) })
  return createContentTest(findCall, call.environment.permissions(), decisionPorts)
}

const otherNamesByTool = new WeakMap<Tool, readonly string[]>()

/** Lists the further names that a matcher can use for a tool: aliases and the names of its server. */
function listOtherNames(tool: Tool): readonly string[] {
  let names = otherNamesByTool.get(tool)
  if (names === undefined) {
    names = ruleNamesOf(tool).filter((name) => name !== tool.name)
    otherNamesByTool.set(tool, names)
  }
  return names
}
