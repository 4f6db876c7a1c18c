import type { DenialTracking } from '../../contract/host/host-state.js'

const MAX_CONSECUTIVE_DENIALS = 3
const MAX_TOTAL_DENIALS = 20

/** Where every agent starts; a sub-agent counts its own. */
export const NO_DENIALS: DenialTracking = Object.freeze({ consecutiveDenials: 0, totalDenials: 0 })

export function recordDenial({ consecutiveDenials, totalDenials }: DenialTracking): DenialTracking {
  return { consecutiveDenials: consecutiveDenials + 1, totalDenials: totalDenials + 1 }
}

/** A call that was let through ends the row; the total stays. */
export function recordSuccess(tracking: DenialTracking): DenialTracking {
  return tracking.consecutiveDenials === 0 ? tracking : { ...tracking, consecutiveDenials: 0 }
}

/** A classifier that refuses this often gives way to a person. */
export function shouldFallBackToAsking({ consecutiveDenials, totalDenials }: DenialTracking): boolean {
  return consecutiveDenials >= MAX_CONSECUTIVE_DENIALS || totalDenials >= MAX_TOTAL_DENIALS
}
