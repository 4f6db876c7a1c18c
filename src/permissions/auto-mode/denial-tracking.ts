import type { DenialTracking } from '../../contract/host/host-state.js'

const MAX_CONSECUTIVE_DENIALS = 3
const MAX_TOTAL_DENIALS = 20

/** The initial counts. Each sub-agent starts with its own. */
export const NO_DENIALS: DenialTracking = Object.freeze({ consecutiveDenials: 0, totalDenials: 0 })

export function recordDenial({ consecutiveDenials, totalDenials }: DenialTracking): DenialTracking {
  return { consecutiveDenials: consecutiveDenials + 1, totalDenials: totalDenials + 1 }
}

/** Resets the count of consecutive denials after an allowed call. The total is kept. */
export function recordSuccess(tracking: DenialTracking): DenialTracking {
  return tracking.consecutiveDenials === 0 ? tracking : { ...tracking, consecutiveDenials: 0 }
}

/** Whether the classifier has denied so often that the user should be asked instead. */
export function shouldFallBackToAsking({ consecutiveDenials, totalDenials }: DenialTracking): boolean {
  return consecutiveDenials >= MAX_CONSECUTIVE_DENIALS || totalDenials >= MAX_TOTAL_DENIALS
}
