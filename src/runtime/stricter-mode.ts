import type { PermissionMode } from '../contract/permission/context.js'

/** From the mode that lets least through unasked to the one that lets most. */
const BY_FREEDOM: readonly PermissionMode[] = ['plan', 'dontAsk', 'default', 'acceptEdits', 'auto', 'bypassPermissions']

export function stricterMode(a: PermissionMode, b: PermissionMode): PermissionMode {
  return BY_FREEDOM.indexOf(a) <= BY_FREEDOM.indexOf(b) ? a : b
}
