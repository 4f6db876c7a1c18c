import {
  PERMISSION_MODES,
  type PermissionMode,
  RULE_SOURCES,
  type RuleSource,
} from '../../contract/permission/context.js'
import type { PermissionUpdate } from '../../contract/permission/result.js'
import type { SettingsLayer } from '../read/read-settings.js'
import type { Settings } from '../read/settings-schema.js'
import { onlyStrictSandbox } from './merge-sandbox.js'

/** Settings that were found and ignored, for the user who can trust the project. */
export interface WithheldSettings {
  readonly source: RuleSource
  readonly file?: string
  readonly reason: 'untrusted' | 'policy'
  /** The keys, for example `permissions.allow` or `hooks`. */
  readonly keys: readonly string[]
}

/** Restrictions by the managed policy. */
export interface PermissionRestrictions {
  readonly managedRulesOnly: boolean
  readonly forbiddenModes: readonly PermissionMode[]
}

export interface RestrictedLayers {
  readonly layers: readonly SettingsLayer[]
  readonly withheld: readonly WithheldSettings[]
  readonly restrictions: PermissionRestrictions
  readonly managedServersOnly: boolean
}

/** Modes that allow calls which would otherwise need confirmation. */
export const PERMISSIVE_MODES: readonly PermissionMode[] = ['acceptEdits', 'auto', 'bypassPermissions']

const PROJECT_SOURCES: readonly RuleSource[] = ['localSettings', 'projectSettings']

/** Removes what an untrusted project may not set and what the managed policy forbids. */
export function restrictLayers(layers: readonly SettingsLayer[], isTrusted: boolean): RestrictedLayers {
  const policy = readPolicy(layers)
  const withheld: WithheldSettings[] = []
  const kept = layers.map((layer) => {
    const { source, file } = layer.place
    const reason = !isTrusted && PROJECT_SOURCES.includes(source) ? 'untrusted' : 'policy'
    const limit = reason === 'untrusted' || policy.disabled.has(source) ? onlyStrict : policy.limit
    const settings = source === 'policy' ? layer.settings : limit(layer.settings)
    const keys = missingKeys(layer.settings, settings)
    if (keys.length > 0) withheld.push({ source, ...(file !== undefined && { file }), reason, keys })
    return { ...layer, settings }
  })
  const forbidden = new Set([
    ...policy.forbidden,
    ...kept.flatMap(({ settings }) => settings.permissions?.disableModes ?? []),
  ])
  const forbiddenModes = PERMISSION_MODES.filter((mode) => forbidden.has(mode))
  const { managedRulesOnly, managedServersOnly } = policy
  return { layers: kept, withheld, restrictions: { managedRulesOnly, forbiddenModes }, managedServersOnly }
}

/** An incomplete policy may have forbidden anything, so it counts as the strictest one. */
function readPolicy(layers: readonly SettingsLayer[]) {
  const layer = layers.find(({ place }) => place.source === 'policy')
  const isIncomplete = layer?.isComplete === false
  const policy = layer?.settings ?? {}
  const managedRulesOnly = isIncomplete || policy.allowManagedRulesOnly === true
  return {
    managedRulesOnly,
    managedServersOnly: isIncomplete || policy.allowManagedMcpServersOnly === true,
    disabled: new Set<RuleSource>(isIncomplete ? RULE_SOURCES : policy.disabledSources),
    forbidden: isIncomplete ? PERMISSIVE_MODES : [],
    limit: (settings: Settings) => withoutManaged(settings, policy, managedRulesOnly),
  }
}

/** Deny and ask rules and a stricter sandbox. They can only make Haft stricter, so they always apply. */
function onlyStrict({ permissions, sandbox }: Settings): Settings {
  const { deny, ask } = permissions ?? {}
  return {
    permissions: { ...(deny && { deny }), ...(ask && { ask }) },
    ...(sandbox && { sandbox: onlyStrictSandbox(sandbox) }),
  }
}

function withoutManaged(settings: Settings, policy: Settings, managedRulesOnly: boolean): Settings {
  const rest = { ...settings }
  if (policy.allowManagedHooksOnly === true) delete rest.hooks
  if (policy.allowManagedMcpServersOnly === true) delete rest.mcpServers
  if (managedRulesOnly && rest.sandbox) rest.sandbox = onlyStrictSandbox(rest.sandbox)
  if (!managedRulesOnly || rest.permissions === undefined) return rest
  const { allow, additionalDirectories, ...permissions } = rest.permissions
  return { ...rest, permissions }
}

function missingKeys(before: Settings, after: Settings): readonly string[] {
  const parts = ['permissions', 'sandbox'] as const
  const isTop = (key: string) => key !== '$schema' && !parts.some((part) => part === key)
  const top = Object.keys(before).filter((key) => !(key in after) && isTop(key))
  const inner = parts.flatMap((part) =>
    Object.keys(before[part] ?? {})
      .filter((key) => !(key in (after[part] ?? {})))
      .map((key) => `${part}.${key}`),
  )
  return [...inner, ...top]
}

export const NO_RESTRICTIONS: PermissionRestrictions = { managedRulesOnly: false, forbiddenModes: [] }

/** Why the policy refuses an update, for the user; undefined if it is allowed. */
export function updateRefusal(
  update: PermissionUpdate,
  { managedRulesOnly, forbiddenModes }: PermissionRestrictions,
): string | undefined {
  if (update.type === 'setMode') {
    return forbiddenModes.includes(update.mode) ? `Mode ${update.mode} is forbidden by the settings.` : undefined
  }
  if (!managedRulesOnly) return undefined
  if (update.type === 'addDirectories') return 'The managed policy allows no additional directories.'
  const addsAllow = 'behavior' in update && update.behavior === 'allow' && update.type !== 'removeRules'
  return addsAllow ? 'The managed policy allows no other allow rules.' : undefined
}
