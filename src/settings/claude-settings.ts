import { isRecord } from '../shared/is-record.js'

/** What Haft reads of a `.claude` settings file: permissions and hooks, under the names that Haft gives them. */
export function fromClaudeSettings(value: unknown): unknown {
  if (!isRecord(value)) return value
  const { permissions, hooks } = value
  return {
    ...(permissions !== undefined && { permissions: knownPermissions(permissions) }),
    ...(hooks !== undefined && { hooks }),
  }
}

function knownPermissions(permissions: unknown): unknown {
  if (!isRecord(permissions)) return permissions
  const { allow, deny, ask, defaultMode, additionalDirectories, disableBypassPermissionsMode } = permissions
  const known = { allow, deny, ask, defaultMode, additionalDirectories }
  return {
    ...Object.fromEntries(Object.entries(known).filter(([, part]) => part !== undefined)),
    ...(disableBypassPermissionsMode === 'disable' && { disableModes: ['bypassPermissions'] }),
  }
}
