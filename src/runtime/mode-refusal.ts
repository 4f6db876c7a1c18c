import type { PermissionMode } from '../contract/permission/context.js'
import { canStartInBypass } from '../permissions/decide/can-start-in-bypass.js'

/** Why a mode cannot be entered in this process; undefined if it can. */
export function modeRefusal(
  mode: PermissionMode,
  variables: Readonly<Record<string, string | undefined>>,
  isSandboxed = variables.HAFT_SANDBOX === '1',
): string | undefined {
  if (mode !== 'bypassPermissions') return undefined
  const answer = canStartInBypass({ isRoot: process.getuid?.() === 0, isSandboxed })
  return answer.canStart ? undefined : answer.message
}
