import { ToolCallError } from '../contract/errors.js'
import type { ToolContext } from '../contract/tool.js'
import { createRuleTester } from '../hooks/create-rule-tester.js'
import { decidePermission } from '../permissions/decide-permission.js'
import type { PermissionOutcome } from '../permissions/permission-outcome.js'
import { type AllowedCall, enter, type HookedCall, type Input } from './call-states.js'
import type { ExecutionHost, PermissionAnswer } from './execution-host.js'
import { hookNames } from './hook-names.js'
import { internalFieldsOf, stripInternalFields } from './internal-fields.js'
import { observableInput } from './observable-input.js'

/** What the step needs beside the host. */
export interface PermissionStep {
  readonly host: ExecutionHost
  readonly context: ToolContext
  /** Parses and validates an input that somebody changed. */
  readonly recheck: (call: HookedCall, input: unknown) => Promise<Input>
  /** Waits until it is this call's turn to ask. */
  readonly inTurn: <T>(ask: () => Promise<T>) => Promise<T>
}

/** Lets a call through that may run; any other ends here, with the reason. */
export async function requirePermission(call: HookedCall, step: PermissionStep): Promise<AllowedCall> {
  const observed = observableInput(call.tool, call.input)
  const outcome = await decide(call, observed, step)
  step.host.onDecision?.(call.toolUse.id, outcome)
  if (outcome.behavior === 'ask') return askAbout(call, observed, outcome, step)
  report(call, step.host, outcome.behavior, outcome.reason)
  if (outcome.behavior === 'deny') {
    return refuse(call, step, outcome.lacksPerson ? 'permission_needed' : 'permission_denied', outcome.message)
  }
  return allow(call, await inputAfter(call, observed, outcome.updatedInput, step))
}

function decide(call: HookedCall, observed: Input, { host, context }: PermissionStep): Promise<PermissionOutcome> {
  const request = {
    tool: call.tool,
    input: observed,
    permissions: host.permissions(),
    toolContext: context,
    place: { ...host.place, cwd: context.cwd },
    canAsk: host.ask !== undefined,
    ...(call.opinion !== undefined && { hook: call.opinion }),
    ...host.autoMode?.(),
  }
  return decidePermission(request, host.decisionPorts)
}

/** An input that was changed after it was judged is judged again: what a rule denies stays denied whoever wrote it. */
async function judgeChanged(call: HookedCall, input: Input, step: PermissionStep, isApproved: boolean): Promise<Input> {
  const outcome = await decide(call, observableInput(call.tool, input), step)
  if (outcome.behavior === 'allow' || (outcome.behavior === 'ask' && isApproved)) return input
  return refuse(call, step, 'permission_denied', `The changed input is not allowed. ${outcome.message}`)
}

function allow({ toolUse, parentMessage, tool, notes }: HookedCall, input: Input): AllowedCall {
  return enter<AllowedCall>({ toolUse, parentMessage, tool, input, notes })
}

/** What the tool's own check made of the input; a copy that nobody changed is not what `call` gets. */
async function inputAfter(call: HookedCall, observed: Input, updated: unknown, step: PermissionStep): Promise<Input> {
  if (updated === undefined || updated === observed || updated === call.input) return call.input
  return judgeChanged(call, await step.recheck(call, updated), step, false)
}

async function askAbout(
  call: HookedCall,
  observed: Input,
  outcome: PermissionOutcome,
  step: PermissionStep,
): Promise<AllowedCall> {
  const { host, context } = step
  const byHook = await askHooks(call, observed, outcome, step)
  const askedAt = Date.now()
  const answer = byHook ?? (await step.inTurn(() => askPerson(call, observed, outcome, step)))
  const type = byHook === undefined ? ('person' as const) : ('hook' as const)
  const text = answer.behavior === 'deny' ? (answer.message ?? 'denied') : 'allowed'
  report(call, host, answer.behavior, { type, text }, Date.now() - askedAt)
  if (context.signal.aborted)
    throw new ToolCallError('cancelled', `${call.tool.name} was cancelled while its question was open.`)
  if (answer.behavior === 'deny')
    return refuse(call, step, 'permission_denied', deniedBy(type, call.tool.name, answer.message))
  if (answer.updates !== undefined && answer.updates.length > 0) await host.applyUpdates?.(answer.updates)
  return allow(call, await answeredInput(call, observed, outcome.updatedInput, answer, step))
}

function deniedBy(type: 'person' | 'hook', toolName: string, message: string | undefined): string {
  if (type === 'hook') return `A hook denied this call of ${toolName}${message === undefined ? '.' : `: ${message}`}`
  const told = message === undefined ? ' Stop and ask what to do instead.' : ` They said: ${message}`
  return `The user does not want ${toolName} to run.${told}`
}

/** An answer may change the input, and it alone may set the fields that only the runtime sets. */
async function answeredInput(
  call: HookedCall,
  observed: Input,
  fromTool: unknown,
  answer: Extract<PermissionAnswer, { behavior: 'allow' }>,
  step: PermissionStep,
): Promise<Input> {
  if (answer.updatedInput === undefined) return inputAfter(call, observed, fromTool, step)
  const visible = stripInternalFields({ ...answer.updatedInput })
  const input = await judgeChanged(call, await step.recheck(call, visible), step, true)
  return { ...input, ...internalFieldsOf({ ...answer.updatedInput }) }
}

/** Questions that a rule, a hook or a safety check put are for a person alone; only open ones may be answered by a hook. */
const OPEN_REASONS: ReadonlySet<string> = new Set(['default', 'directory', 'mode', 'classifier'])

async function askHooks(
  call: HookedCall,
  observed: Input,
  outcome: PermissionOutcome,
  { host, context }: PermissionStep,
): Promise<PermissionAnswer | undefined> {
  const { tool, toolUse } = call
  const names = hookNames(tool)
  if (host.hooks === undefined || !host.hooks.hasHooks('PermissionRequest', tool.name, ...names)) return undefined
  const fields = { tool_name: tool.name, tool_input: observed, tool_use_id: toolUse.id }
  const answer = await host.hooks.run('PermissionRequest', fields, {
    signal: context.signal,
    names,
    matchesRule: createRuleTester(tool, observed),
  })
  for (const each of answer.reports)
    host.emit({ type: 'hook-reported', toolUseId: toolUse.id, at: Date.now(), ...each })
  if (answer.permission?.behavior === 'deny') return { behavior: 'deny', message: answer.permission.reason }
  if (answer.permission?.behavior === 'allow' && OPEN_REASONS.has(outcome.reason.type)) {
    return {
      behavior: 'allow',
      ...(answer.updatedInput !== undefined && { updatedInput: stripInternalFields({ ...answer.updatedInput }) }),
    }
  }
  return undefined
}

async function askPerson(
  call: HookedCall,
  observed: Input,
  outcome: PermissionOutcome,
  { host, context }: PermissionStep,
): Promise<PermissionAnswer> {
  const { tool, toolUse } = call
  const { message, reason, suggestions } = outcome
  host.emit({ type: 'permission-asked', toolUseId: toolUse.id, at: Date.now(), message, suggestions })
  try {
    const answer = await host.ask?.({
      toolUseId: toolUse.id,
      tool,
      input: observed,
      message,
      reason,
      suggestions,
      signal: context.signal,
    })
    if (answer?.behavior === 'allow' || answer?.behavior === 'deny') return answer
    return { behavior: 'deny', message: 'No answer was given.' }
  } catch (error) {
    return {
      behavior: 'deny',
      message: `The question failed: ${error instanceof Error ? error.message : String(error)}`,
    }
  }
}

async function refuse(
  call: HookedCall,
  { host, context }: PermissionStep,
  code: 'permission_denied' | 'permission_needed',
  message: string,
): Promise<never> {
  const { tool, toolUse, input } = call
  const names = hookNames(tool)
  if (host.hooks?.hasHooks('PermissionDenied', tool.name, ...names)) {
    const fields = {
      tool_name: tool.name,
      tool_input: observableInput(tool, input),
      tool_use_id: toolUse.id,
      reason: message,
    }
    const { reports } = await host.hooks.run('PermissionDenied', fields, { signal: context.signal, names })
    for (const each of reports) host.emit({ type: 'hook-reported', toolUseId: toolUse.id, at: Date.now(), ...each })
  }
  throw new ToolCallError(code, message)
}

function report(
  call: HookedCall,
  host: ExecutionHost,
  behavior: PermissionOutcome['behavior'],
  reason: PermissionOutcome['reason'],
  waitedMs?: number,
): void {
  host.emit({
    ...{ type: 'permission-decided', toolUseId: call.toolUse.id, at: Date.now(), behavior, reason },
    ...(waitedMs !== undefined && { waitedMs }),
  })
}
