import type { PermissionBehavior } from '../contract/permission/result.js'

export interface PermissionOpinion {
  readonly behavior: PermissionBehavior
  readonly reason?: string
}

const STRICTNESS: Readonly<Record<PermissionBehavior, number>> = { allow: 1, ask: 2, deny: 3 }

/** Deny beats ask beats allow; the reasons are those of all who hold the winning opinion, in their order. */
export function mergePermissions(opinions: readonly PermissionOpinion[]): PermissionOpinion | undefined {
  let winner: PermissionBehavior | undefined
  for (const { behavior } of opinions) {
    if (winner === undefined || STRICTNESS[behavior] > STRICTNESS[winner]) winner = behavior
  }
  if (winner === undefined) return undefined
  const reasons = opinions.flatMap(({ behavior, reason }) => (behavior === winner && reason ? [reason] : []))
  return reasons.length === 0 ? { behavior: winner } : { behavior: winner, reason: [...new Set(reasons)].join('\n') }
}
