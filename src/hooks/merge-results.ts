import type { PermissionBehavior } from '../contract/permission/result.js'
import type { HookAnswer } from './hook-answer.js'
import { decidesPermission, type HookEvent } from './hook-events.js'
import type { HookReport, HookResult } from './hook-result.js'
import { mergePermissions } from './merge-permissions.js'

/** What all hooks of an event said together. What is left out, nobody had an opinion on. */
export interface HookOutcome {
  /** Only for events that decide whether a call runs. */
  readonly permission?: HookPermission
  /** Feedback to the model, for the other events. */
  readonly blocked?: string
  /** The conversation is to end; the text is for the user. */
  readonly stop?: string
  readonly updatedInput?: Readonly<Record<string, unknown>>
  readonly updatedOutput?: { readonly value: unknown }
  readonly additionalContext: readonly string[]
  readonly reports: readonly HookReport[]
  /** The run was called off, so a hook may have had something to say that nobody heard. */
  readonly cancelled: boolean
}

interface HookPermission {
  readonly behavior: PermissionBehavior
  readonly reason: string
}

export const NO_OUTCOME: HookOutcome = Object.freeze({
  additionalContext: Object.freeze([]),
  reports: Object.freeze([]),
  cancelled: false,
})

/** Merges the results of all hooks of one event, given in the order they were configured. */
export function mergeResults(event: HookEvent, results: readonly HookResult[]): HookOutcome {
  const cancelled = results.some((result) => result.cancelled === true)
  const input = lastOf(results, ({ updatedInput }) => updatedInput)
  const output = lastOf(results, ({ updatedOutput }) => updatedOutput)
  const reports = results.map(({ report }) => report)
  if (input.clash) reports.push(clash(event, input.hook, 'input'))
  if (output.clash) reports.push(clash(event, output.hook, 'output'))
  return {
    ...permissionOf(event, results, cancelled),
    ...joined('blocked', results),
    ...joined('stop', results),
    ...(input.value === undefined ? {} : { updatedInput: input.value }),
    ...(output.value === undefined ? {} : { updatedOutput: output.value }),
    additionalContext: textsOf('additionalContext', results),
    reports,
    cancelled,
  }
}

function permissionOf(
  event: HookEvent,
  results: readonly HookResult[],
  cancelled: boolean,
): Pick<HookOutcome, 'permission'> {
  if (!decidesPermission(event)) return {}
  const opinions = results.flatMap(({ report, answer: { permission } }) =>
    permission === undefined ? [] : [{ reason: `Decided by the hook ${report.hook}.`, ...permission }],
  )
  // A guard that was not heard out might have objected.
  if (cancelled) opinions.push({ behavior: 'deny', reason: 'The call was cancelled while its hooks ran.' })
  const merged = mergePermissions(opinions)
  return merged === undefined ? {} : { permission: { behavior: merged.behavior, reason: merged.reason ?? '' } }
}

interface LastValue<T> {
  readonly value?: T
  readonly hook: string
  readonly clash: boolean
}

function lastOf<T>(results: readonly HookResult[], pick: (answer: HookAnswer) => T | undefined): LastValue<T> {
  let last: LastValue<T> = { hook: '', clash: false }
  for (const { report, answer } of results) {
    const value = pick(answer)
    if (value !== undefined) last = { value, hook: report.hook, clash: last.value !== undefined }
  }
  return last
}

function clash(hookEvent: HookEvent, hook: string, what: 'input' | 'output'): HookReport {
  const message = `Several hooks changed the ${what}. Only the change by the last one counts: ${hook}.`
  return { hookEvent, hook, outcome: 'ok', message, forUser: message }
}

function joined<const K extends 'blocked' | 'stop'>(field: K, results: readonly HookResult[]): { [P in K]?: string } {
  const texts = textsOf(field, results)
  return texts.length === 0 ? {} : ({ [field]: texts.join('\n') } as { [P in K]?: string })
}

function textsOf(field: 'blocked' | 'stop' | 'additionalContext', results: readonly HookResult[]): readonly string[] {
  return results.flatMap(({ answer }) => answer[field] ?? [])
}
