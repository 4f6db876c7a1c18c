import {
  PERMISSION_MODES,
  type PermissionMode,
  RULE_SOURCES,
  type RuleSource,
} from '../../contract/permission/context.js'
import type { PermissionUpdate } from '../../contract/permission/result.js'
import type { SettingsLayer } from '../read/read-settings.js'
import type { Settings } from '../read/settings-schema.js'
import { keepStrictSandbox } from './merge-sandbox.js'

/** Settings that were found and ignored, to be shown to the user. */
export interface WithheldSettings {
  readonly source: RuleSource
  readonly file?: string
  readonly reason: 'untrusted' | 'policy'
  /** The keys, for example `permissions.allow` or `hooks`. */
  readonly keys: readonly string[]
}

/** Restrictions by the managed policy, and all modes that at least one settings file forbids. */
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

/** Sources that a project provides. They count as a whole only if the user trusts the project. */
export const PROJECT_SOURCES: readonly RuleSource[] = ['localSettings', 'projectSettings']

/** Removes the settings that an untrusted project may not make and those that the managed policy forbids. */
export function restrictLayers(layers: readonly SettingsLayer[], isTrusted: boolean): RestrictedLayers {
  const policy = readPolicy(layers)
  const withheld: WithheldSettings[] = []
  const restrictedLayers = layers.map((layer) => {
    const { source, file } = layer.origin
    const reason = !isTrusted && PROJECT_SOURCES.includes(source) ? 'untrusted' : 'policy'
    const restrict = reason === 'untrusted' || policy.disabledSources.has(source) ? keepStrict : policy.restrict
    const settings = source === 'policy' ? layer.settings : restrict(layer.settings)
    const keys = listMissingKeys(layer.settings, settings)
    if (keys.length > 0) withheld.push({ source, ...(file !== undefined && { file }), reason, keys })
    return { ...layer, settings }
  })
  const allForbiddenModes = new Set([
    ...policy.forbiddenModes,
    ...restrictedLayers.flatMap(({ settings }) => settings.permissions?.disableModes ?? []),
  ])
  const forbiddenModes = PERMISSION_MODES.filter((mode) => allForbiddenModes.has(mode))
  const { managedRulesOnly, managedServersOnly } = policy
  return { layers: restrictedLayers, withheld, restrictions: { managedRulesOnly, forbiddenModes }, managedServersOnly }
}

/** Reads the managed policy. An incomplete policy may have forbidden anything, so it counts as the strictest one. */
function readPolicy(layers: readonly SettingsLayer[]) {
  const layer = layers.find(({ origin }) => origin.source === 'policy')
  const isIncomplete = layer?.isComplete === false
  const policy = layer?.settings ?? {}
  const managedRulesOnly = isIncomplete || policy.allowManagedRulesOnly === true
  return {
    managedRulesOnly,
    managedServersOnly: isIncomplete || policy.allowManagedMcpServersOnly === true,
    disabledSources: new Set<RuleSource>(isIncomplete ? RULE_SOURCES : policy.disabledSources),
    forbiddenModes: isIncomplete ? PERMISSIVE_MODES : [],
    restrict: (settings: Settings) => removeManagedOnly(settings, policy, managedRulesOnly),
  }
}

/**
 * Keeps only deny and ask rules, stricter sandbox settings and safeguards that are switched on. They can only make Haft
 * stricter, so they always apply.
 */
function keepStrict({ permissions, sandbox, maskSecrets, fsync }: Settings): Settings {
  const { deny, ask } = permissions ?? {}
  return {
    permissions: { ...(deny && { deny }), ...(ask && { ask }) },
    ...(sandbox && { sandbox: keepStrictSandbox(sandbox) }),
    ...(maskSecrets && { maskSecrets }),
    ...(fsync && { fsync }),
  }
}

function removeManagedOnly(settings: Settings, policy: Settings, managedRulesOnly: boolean): Settings {
  const allowedSettings = { ...settings }
  if (policy.allowManagedHooksOnly === true) delete allowedSettings.hooks
  if (policy.allowManagedMcpServersOnly === true) delete allowedSettings.mcpServers
  if (managedRulesOnly && allowedSettings.sandbox) allowedSettings.sandbox = keepStrictSandbox(allowedSettings.sandbox)
  if (!managedRulesOnly || allowedSettings.permissions === undefined) return allowedSettings
  const { allow, additionalDirectories, trustedMcpServers, ...permissions } = allowedSettings.permissions
  return { ...allowedSettings, permissions }
}

function listMissingKeys(settingsBefore: Settings, settingsAfter: Settings): readonly string[] {
  const sections = ['permissions', 'sandbox'] as const
  const isTopKey = (key: string) => key !== '$schema' && !sections.some((section) => section === key)
  const topKeys = Object.keys(settingsBefore).filter((key) => !(key in settingsAfter) && isTopKey(key))
  const innerKeys = sections.flatMap((section) =>
    Object.keys(settingsBefore[section] ?? {})
      .filter((key) => !(key in (settingsAfter[section] ?? {})))
      .map((key) => `${section}.${key}`),
  )
  return [...innerKeys, ...topKeys]
}

export const NO_RESTRICTIONS: PermissionRestrictions = { managedRulesOnly: false, forbiddenModes: [] }

/** Returns why the restrictions refuse an update, for the user; undefined if it is allowed. */
export function findUpdateRefusal(
  update: PermissionUpdate,
  { managedRulesOnly, forbiddenModes }: PermissionRestrictions,
): string | undefined {
  if (update.type === 'setMode') {
    return forbiddenModes.includes(update.mode) ? `Mode ${update.mode} is forbidden by the settings.` : undefined
  }
  if (!managedRulesOnly) return undefined
  if (update.type === 'addDirectories') return 'The managed policy permits only its own additional directories.'
  const addsAllowRules = 'behavior' in update && update.behavior === 'allow' && update.type !== 'removeRules'
  return addsAllowRules ? 'The managed policy permits only its own allow rules.' : undefined
}
