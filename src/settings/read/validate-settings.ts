import { listEntryKeys, readMcpEntry } from '../../contract/mcp/server-entry.js'
import type { RuleSource } from '../../contract/permission/context.js'
import { isRecord } from '../../shared/is-record.js'
import { findNearestNames } from '../../shared/nearest-names.js'
import { checkRules } from './rule-lists.js'
import type { ProblemLog } from './settings-problem.js'
import {
  createSettingsSchema,
  getKeySchema,
  MANAGED_SWITCHES,
  SETTINGS_KEYS,
  type Settings,
} from './settings-schema.js'

const RULE_LISTS = ['allow', 'deny', 'ask'] as const

/** Keys of `permissions` and `sandbox` that can make Haft stricter: if one is ignored, the settings are incomplete. */
const RESTRICTIVE_PERMISSIONS = new Set(['deny', 'ask', 'defaultMode', 'disableModes'])
const RESTRICTIVE_SANDBOX = new Set('enabled required allowUnsandboxed allowUnixSockets denyRead denyWrite'.split(' '))

/** Returns the valid part of a value and logs the rest. Never throws. */
export function validateSettings(value: unknown, source: RuleSource, log: ProblemLog): Settings {
  if (!isRecord(value)) {
    log.add('error', 'the settings must be an object. They are ignored.', [])
    log.isComplete = false
    return {}
  }
  if (Object.keys(value).length === 0) return {}
  const settings = removeInvalidParts(wrapSingleRules(value, log), log)
  reportMisusedKeys(settings, source, log)
  if (settings.mcpServers !== undefined) checkServers(settings.mcpServers, log)
  return withCheckedRules(settings, log)
}

/** Treats a single deny or ask rule as a list of one. */
function wrapSingleRules(value: Record<string, unknown>, log: ProblemLog): Record<string, unknown> {
  if (!isRecord(value.permissions)) return value
  const permissions = { ...value.permissions }
  for (const list of ['deny', 'ask']) {
    if (typeof permissions[list] !== 'string') continue
    log.add('warning', `permissions.${list} must be a list; treated as a list of one.`, ['permissions', list])
    permissions[list] = [permissions[list]]
  }
  return { ...value, permissions }
}

/** Removes parts that do not match the schema until the remaining value does. */
function removeInvalidParts(value: Record<string, unknown>, log: ProblemLog): Settings {
  let remainingValue: unknown = value
  const schema = createSettingsSchema(Object.keys(value))
  for (;;) {
    const result = schema.safeParse(remainingValue, { jitless: true })
    if (result.success) return result.data
    for (const { path, message } of result.error.issues) {
      const ignoredPart = path.length === choosePartToDrop(path).length ? 'It' : formatPath(choosePartToDrop(path))
      log.add('error', `${formatPath(path)}: ${message}. ${ignoredPart} is ignored.`, path)
      if (isRestrictive(path)) log.isComplete = false
    }
    remainingValue = dropPaths(
      remainingValue,
      result.error.issues.map(({ path }) => choosePartToDrop(path)),
    )
  }
}

const NAMED_ENTRY_KEYS = ['formatters', 'languageServers', 'providers', 'models', 'workers'] as const

/**
 * Chooses the part of the settings to remove. A partly valid formatter, language server, provider, model or worker cannot be used,
 * so the whole entry is removed.
 */
function choosePartToDrop(path: readonly PropertyKey[]): readonly PropertyKey[] {
  return NAMED_ENTRY_KEYS.some((name) => name === path[0]) ? path.slice(0, 2) : path
}

function isRestrictive([top, key]: readonly PropertyKey[]): boolean {
  if (top === 'permissions') return key === undefined || RESTRICTIVE_PERMISSIONS.has(String(key))
  if (top === 'sandbox') return key === undefined || RESTRICTIVE_SANDBOX.has(String(key))
  return top === 'hooks' || MANAGED_SWITCHES.some((name) => name === top)
}

function reportMisusedKeys(settings: Settings, source: RuleSource, log: ProblemLog): void {
  reportUnknown(settings, SETTINGS_KEYS, [], log)
  for (const key of ['permissions', 'sandbox', 'web', 'push'] as const) {
    const settingsPart = settings[key]
    if (settingsPart !== undefined)
      reportUnknown(settingsPart, Object.keys(getKeySchema(key).unwrap().shape), [key], log)
  }
  for (const key of NAMED_ENTRY_KEYS) {
    for (const [name, entry] of Object.entries(settings[key] ?? {}))
      reportUnknown(entry, Object.keys(getKeySchema(key).unwrap().valueType.shape), [key, name], log)
  }
  if (source === 'projectSettings') reportSharedApiKeys(settings, log)
  if (source === 'policy') return
  for (const name of MANAGED_SWITCHES) {
    if (name in settings) log.add('warning', `${name} has an effect only in the managed policy.`, [name])
  }
}

/** Reports keys in a project's file, because the file is shared with everyone who has the project. */
function reportSharedApiKeys({ providers = {} }: Settings, log: ProblemLog): void {
  for (const [name, { apiKey }] of Object.entries(providers)) {
    if (apiKey === undefined) continue
    const path = ['providers', name, 'apiKey']
    log.add('warning', `${formatPath(path)}: the key is shared with everyone who has the project. Use apiKeyEnv.`, path)
  }
}

function withCheckedRules(settings: Settings, log: ProblemLog): Settings {
  if (settings.permissions === undefined) return settings
  const permissions = { ...settings.permissions }
  for (const list of RULE_LISTS) {
    const rules = permissions[list]
    if (rules === undefined) continue
    permissions[list] = [
      ...checkRules(list, rules, (message, index) => {
        const effect = list === 'allow' ? 'It is ignored.' : 'Until it is fixed, it applies to the whole tool.'
        log.add('error', `${message} ${effect}`, ['permissions', list, index])
      }),
    ]
  }
  return { ...settings, permissions }
}

/** Reports invalid MCP servers. The entries stay, so that an invalid one still hides servers of the same name in lower sources. */
export function checkServers(servers: Readonly<Record<string, unknown>>, log: ProblemLog): void {
  for (const [name, value] of Object.entries(servers)) {
    const path = ['mcpServers', name]
    const readEntry = readMcpEntry(value)
    if ('entry' in readEntry) reportUnknown(readEntry.entry, listEntryKeys(readEntry.entry), path, log)
    else
      for (const issue of readEntry.issues) {
        const at = [...path, ...issue.path]
        log.add('error', `${formatPath(at)}: ${issue.message}. The server is not started.`, at)
      }
  }
}

/** Reports unknown keys. They may belong to another version of Haft, so they only cause a warning. */
function reportUnknown(
  settingsPart: object,
  knownKeys: readonly string[],
  path: readonly string[],
  log: ProblemLog,
): void {
  for (const key of Object.keys(settingsPart)) {
    if (knownKeys.includes(key)) continue
    const [nearest] = log.isFull ? [] : findNearestNames(key, knownKeys, 1)
    const advice = nearest === undefined ? '' : ` Did you mean ${nearest}?`
    log.add('warning', `unknown key ${JSON.stringify([...path, key].join('.'))} has no effect.${advice}`, [
      ...path,
      key,
    ])
  }
}

/** Copies a value without the parts at these paths. */
function dropPaths(value: unknown, paths: readonly (readonly PropertyKey[])[]): unknown {
  if (paths.some((path) => path.length === 0)) return {}
  const pathsByStep = new Map<string, (readonly PropertyKey[])[]>()
  for (const [step, ...remainingPath] of paths) {
    const key = String(step)
    const innerPaths = pathsByStep.get(key)
    if (innerPaths === undefined) pathsByStep.set(key, [remainingPath])
    else innerPaths.push(remainingPath)
  }
  if (Array.isArray(value)) return keep(value.map((item, index) => [String(index), item])).map(([, item]) => item)
  return isRecord(value) ? Object.fromEntries(keep(Object.entries(value))) : value

  function keep(parts: readonly (readonly [string, unknown])[]): (readonly [string, unknown])[] {
    return parts.flatMap(([key, part]) => {
      const innerPaths = pathsByStep.get(key)
      if (innerPaths === undefined) return [[key, part] as const]
      return innerPaths.some((path) => path.length === 0) ? [] : [[key, dropPaths(part, innerPaths)] as const]
    })
  }
}

/** Formats a path of keys in the usual notation: `mcpServers.github.args[0]`. */
function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((step, depth) => (typeof step === 'number' ? `[${step}]` : `${depth > 0 ? '.' : ''}${String(step)}`))
    .join('')
}
