import type { HookRunner } from '../hooks/create-hook-runner.js'
import type { HookEvent } from '../hooks/hook-events.js'
import type { HookFields } from '../hooks/hook-payload.js'
import type { HookReport } from '../hooks/hook-result.js'
import { type HookOutcome, NO_OUTCOME } from '../hooks/merge-results.js'
import type { SessionEvent } from './session-event.js'

/** What the hooks of an event said, and what there is to tell of them. */
export interface HeardHooks {
  readonly outcome: HookOutcome
  readonly events: readonly SessionEvent[]
}

const NOTHING: HeardHooks = { outcome: NO_OUTCOME, events: [] }

/** Runs the hooks of an event of the conversation. Does not reject. */
export async function runEventHooks<E extends HookEvent>(
  hooks: HookRunner | undefined,
  event: E,
  fields: HookFields<E>,
  signal?: AbortSignal,
): Promise<HeardHooks> {
  if (hooks === undefined || !hooks.hasHooks(event)) return NOTHING
  const outcome = await hooks.run(event, fields, signal === undefined ? {} : { signal })
  const { reports, systemMessages, cancelled } = outcome
  const said = systemMessages.map((text): SessionEvent => ({ type: 'notice', level: 'info', text }))
  return { outcome, events: [...reports.flatMap((report) => eventsOf(report, cancelled)), ...said] }
}

/** A hook that worked and has nothing to show is not worth a word. */
function eventsOf(report: HookReport, isCancelled: boolean): readonly SessionEvent[] {
  const { hookEvent, hook, outcome, message = '' } = report
  if (outcome === 'ok' && message === '') return []
  const reported: SessionEvent = { type: 'hook-reported', report }
  const hasFailed = outcome === 'failed' || outcome === 'timed-out'
  if (!hasFailed || isCancelled) return [reported]
  const text = `The ${hookEvent} hook ${hook} failed: ${message}`
  return [reported, { type: 'notice', level: 'warning', text }]
}
