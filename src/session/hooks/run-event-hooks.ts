import { type HookOutcome, type HookReport, NO_OUTCOME } from '../../hooks/answer/merge-results.js'
import type { HookEvent } from '../../hooks/config/hook-events.js'
import type { HookFields } from '../../hooks/config/hook-payload.js'
import type { HookRunner } from '../../hooks/create-hook-runner.js'
import type { EmitEvent } from '../conversation/session-event.js'

export interface EventHookOptions {
  readonly emit: EmitEvent
  readonly signal?: AbortSignal | undefined
}

/** Runs the hooks of a conversation event and reports their outcomes as session events. Does not reject. */
export async function runEventHooks<E extends HookEvent>(
  hooks: HookRunner | undefined,
  event: E,
  fields: HookFields<E>,
  { emit, signal }: EventHookOptions,
): Promise<HookOutcome> {
  if (hooks === undefined || !hooks.hasHooks(event)) return NO_OUTCOME
  const outcome = await hooks.run(event, fields, signal === undefined ? {} : { signal })
  reportHooks(outcome, emit)
  return outcome
}

/** Reports the outcomes of hooks as session events. */
export function reportHooks({ reports }: HookOutcome, emit: EmitEvent): void {
  for (const report of reports) emitReport(report, emit)
}

/** Emits the report of a hook, unless the hook succeeded without a message. */
function emitReport(report: HookReport, emit: EmitEvent): void {
  const { outcome, message, forUser } = report
  if (outcome === 'ok' && message === undefined && forUser === undefined) return
  emit({ type: 'hook-reported', report })
  if (forUser !== undefined) emit({ type: 'notice', level: 'warning', text: forUser })
}
