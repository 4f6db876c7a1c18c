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
  return { outcome, events: outcome.reports.flatMap(eventsOf) }
}

/** A hook that worked and has nothing to show is not worth a word. */
function eventsOf(report: HookReport): readonly SessionEvent[] {
  const { outcome, message, forUser } = report
  if (outcome === 'ok' && message === undefined && forUser === undefined) return []
  const reported: SessionEvent = { type: 'hook-reported', report }
  return forUser === undefined ? [reported] : [reported, { type: 'notice', level: 'warning', text: forUser }]
}
