import type { HookReported } from '../contract/events.js'
import type { HookAnswer } from './hook-answer.js'
import type { HookEvent } from './hook-events.js'

/** A `HookReported` but for what only the call knows: its id and the time. */
export interface HookReport extends Pick<HookReported, 'hook' | 'outcome' | 'message'> {
  readonly hookEvent: HookEvent
}

/** How one hook ended, and what it said. */
export interface HookResult {
  readonly report: HookReport
  readonly answer: HookAnswer
  /** Set where the run was called off before the hook could answer. */
  readonly cancelled?: boolean
}
