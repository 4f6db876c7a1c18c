import type { HookReported } from '../../contract/events.js'
import type { PermissionBehavior } from '../../contract/permission/result.js'
import type { ElicitationAnswer } from '../../contract/ports/ask.js'
import { decidesPermission, type HookEvent } from '../config/hook-events.js'
import type { HookAnswer } from './hook-answer.js'

/** A `HookReported` event without the id of the call and the time, which are added later. */
export interface HookReport extends Pick<HookReported, 'hook' | 'outcome' | 'message' | 'forUser'> {
  readonly hookEvent: HookEvent
}

/** Creates the report of a hook that failed or timed out. The user is informed, because the hook may have been a guard. */
export function createFailedReport(
  { hookEvent, hook }: Pick<HookReport, 'hookEvent' | 'hook'>,
  outcome: 'failed' | 'timed-out',
  message: string,
): HookReport {
  return { hookEvent, hook, outcome, message, forUser: `The ${hookEvent} hook ${hook} failed: ${message}` }
}

/** The end and the answer of one hook. */
export interface HookResult {
  readonly report: HookReport
  readonly answer: HookAnswer
  /** Whether the run was cancelled before the hook answered. */
  readonly cancelled?: boolean
}

/** The merged answers of all hooks of an event. A missing field means that no hook had an opinion. */
export interface HookOutcome {
  /** Set only for events that decide whether a call runs. */
  readonly permission?: HookPermission
  /** Feedback to the model. Set only for events that do not decide whether a call runs. */
  readonly blocked?: string
  /** The conversation ends. The text is for the user. */
  readonly stop?: string
  readonly updatedInput?: Readonly<Record<string, unknown>>
  readonly updatedOutput?: { readonly value: unknown }
  /** The answer of the hooks to a question of an MCP server. A refusal counts more than an acceptance. */
  readonly elicitation?: ElicitationAnswer
  readonly additionalContext: readonly string[]
  readonly reports: readonly HookReport[]
  /** Whether the run was cancelled, so that the objection of a hook may be missing. */
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

/** Merges the results of all hooks of one event, which must be in the order of the configuration. */
export function mergeResults(event: HookEvent, results: readonly HookResult[]): HookOutcome {
  const cancelled = results.some((result) => result.cancelled === true)
  const input = findLastValue(results, ({ updatedInput }) => updatedInput)
  const output = findLastValue(results, ({ updatedOutput }) => updatedOutput)
  const reports = results.map(({ report }) => report)
  if (input.hasConflict) reports.push(createConflictReport(event, input.hook, 'input'))
  if (output.hasConflict) reports.push(createConflictReport(event, output.hook, 'output'))
  return {
    ...mergePermission(event, results, cancelled),
    ...joinTexts('blocked', results),
    ...joinTexts('stop', results),
    ...(input.value === undefined ? {} : { updatedInput: input.value }),
    ...(output.value === undefined ? {} : { updatedOutput: output.value }),
    ...mergeElicitations(results),
    additionalContext: collectTexts('additionalContext', results),
    reports,
    cancelled,
  }
}

function mergePermission(
  event: HookEvent,
  results: readonly HookResult[],
  isCancelled: boolean,
): Pick<HookOutcome, 'permission'> {
  if (!decidesPermission(event)) return {}
  const opinions = results.flatMap(({ report, answer: { permission } }) =>
    permission === undefined ? [] : [{ reason: `Decided by the hook ${report.hook}.`, ...permission }],
  )
  // A guard that was cancelled might have objected.
  if (isCancelled) opinions.push({ behavior: 'deny', reason: 'The call was cancelled while its hooks ran.' })
  const mergedPermission = mergePermissions(opinions)
  return mergedPermission === undefined
    ? {}
    : { permission: { behavior: mergedPermission.behavior, reason: mergedPermission.reason ?? '' } }
}

/** Refusing beats cancelling, which beats accepting; of several acceptances, the last one counts. */
function mergeElicitations(results: readonly HookResult[]): Pick<HookOutcome, 'elicitation'> {
  const answers = results.flatMap(({ answer: { elicitation } }) => elicitation ?? [])
  const merged =
    answers.find(({ action }) => action === 'decline') ??
    answers.find(({ action }) => action === 'cancel') ??
    answers.at(-1)
  return merged === undefined ? {} : { elicitation: merged }
}

interface LastValue<T> {
  readonly value?: T
  readonly hook: string
  readonly hasConflict: boolean
}

function findLastValue<T>(results: readonly HookResult[], select: (answer: HookAnswer) => T | undefined): LastValue<T> {
  let lastValue: LastValue<T> = { hook: '', hasConflict: false }
  for (const { report, answer } of results) {
    const value = select(answer)
    if (value !== undefined) lastValue = { value, hook: report.hook, hasConflict: lastValue.value !== undefined }
  }
  return lastValue
}

function createConflictReport(hookEvent: HookEvent, hook: string, changedValue: 'input' | 'output'): HookReport {
  const message = `Several hooks changed the ${changedValue}. Only the change by the last one counts: ${hook}.`
  return { hookEvent, hook, outcome: 'ok', message, forUser: message }
}

function joinTexts<const K extends 'blocked' | 'stop'>(
  field: K,
  results: readonly HookResult[],
): { [P in K]?: string } {
  const texts = collectTexts(field, results)
  return texts.length === 0 ? {} : ({ [field]: texts.join('\n') } as { [P in K]?: string })
}

function collectTexts(
  field: 'blocked' | 'stop' | 'additionalContext',
  results: readonly HookResult[],
): readonly string[] {
  return results.flatMap(({ answer }) => answer[field] ?? [])
}

export interface PermissionOpinion {
  readonly behavior: PermissionBehavior
  readonly reason?: string
}

const BEHAVIOR_STRICTNESS: Readonly<Record<PermissionBehavior, number>> = { allow: 1, ask: 2, deny: 3 }

/** Deny beats ask, and ask beats allow. The reasons are those of all hooks with the winning decision, in order. */
export function mergePermissions(opinions: readonly PermissionOpinion[]): PermissionOpinion | undefined {
  let strictestBehavior: PermissionBehavior | undefined
  for (const { behavior } of opinions) {
    if (strictestBehavior === undefined || BEHAVIOR_STRICTNESS[behavior] > BEHAVIOR_STRICTNESS[strictestBehavior])
      strictestBehavior = behavior
  }
  if (strictestBehavior === undefined) return undefined
  const reasons = opinions.flatMap(({ behavior, reason }) => (behavior === strictestBehavior && reason ? [reason] : []))
  return reasons.length === 0
    ? { behavior: strictestBehavior }
    : { behavior: strictestBehavior, reason: [...new Set(reasons)].join('\n') }
}
