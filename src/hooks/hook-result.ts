import type { HookReported } from '../contract/events.js'
import type { HookAnswer } from './hook-answer.js'
import type { HookEvent } from './hook-events.js'

/** A `HookReported` but for what only the call knows: its id and the time. */
export interface HookReport extends Pick<HookReported, 'hook' | 'outcome' | 'message' | 'forUser'> {
  readonly hookEvent: HookEvent
}

/** Of a hook that did not get to answer, which the user is told: it may have been a guard. */
export function failedReport(
  { hookEvent, hook }: Pick<HookReport, 'hookEvent' | 'hook'>,
  outcome: 'failed' | 'timed-out',
  message: string,
): HookReport {
  return { hookEvent, hook, outcome, message, forUser: `The ${hookEvent} hook ${hook} failed: ${message}` }
}

/** How one hook ended, and what it said. */
export interface HookResult {
  readonly report: HookReport
  readonly answer: HookAnswer
  /** Set where the run was called off before the hook could answer. */
  readonly cancelled?: boolean
}
