import type { PermissionUpdate } from '../contract/permission-result.js'
import type { PermissionRestrictions } from './restrict-layers.js'

export const NO_RESTRICTIONS: PermissionRestrictions = { managedRulesOnly: false, forbiddenModes: [] }

/** Why policy refuses an update, for the person who gave the answer; undefined if it does not. */
export function updateRefusal(
  update: PermissionUpdate,
  { managedRulesOnly, forbiddenModes }: PermissionRestrictions,
): string | undefined {
  if (update.type === 'setMode') {
    return forbiddenModes.includes(update.mode) ? `Mode ${update.mode} is forbidden by settings.` : undefined
  }
  if (!managedRulesOnly) return undefined
  if (update.type === 'addDirectories') return 'Managed policy takes directories from nobody else.'
  const addsAllow = 'behavior' in update && update.behavior === 'allow' && update.type !== 'removeRules'
  return addsAllow ? 'Managed policy takes allow rules from nobody else.' : undefined
}
