import { createPacer } from '../../shared/for-each-in-slices.js'
import type { PastCall } from '../data/past-calls.js'
import type { ReplayedDecision, SimulatedRules, Workbench } from '../workbench.js'

/** What rules would have changed. */
export interface ReplayedDecisions {
  readonly callCount: number
  readonly changed: readonly ReplayedDecision[]
}

/** Judges past calls with the settings, and with the rules to try. Returns the calls whose decision differs. */
export async function replayDecisions(
  calls: readonly PastCall[],
  rules: SimulatedRules,
  workbench: Workbench,
  signal: AbortSignal,
): Promise<ReplayedDecisions> {
  const current: SimulatedRules = { ...rules, withSettings: true, allow: [], deny: [], ask: [] }
  const pace = createPacer()
  const changed: ReplayedDecision[] = []
  for (const { tool, input, count } of calls) {
    if (signal.aborted) break
    await pace()
    const [before, after] = await Promise.all([
      workbench.simulate(tool, input, current),
      workbench.simulate(tool, input, rules),
    ])
    if (before.behavior !== after.behavior) changed.push({ tool, input, count, before, after })
  }
  return { callCount: calls.length, changed }
}
