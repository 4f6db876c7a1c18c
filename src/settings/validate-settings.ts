import type { RuleSource } from '../contract/permission-context.js'
import { isRecord } from '../shared/is-record.js'
import { checkRules } from './check-rules.js'
import { checkServers } from './check-servers.js'
import { dropPaths } from './drop-paths.js'
import { pathText } from './path-text.js'
import type { ProblemLog } from './problem-log.js'
import { reportUnknown } from './report-unknown.js'
import { MANAGED_SWITCHES, SETTINGS_KEYS, type Settings, settingSchema, settingsSchema } from './settings-schema.js'

const RULE_LISTS = ['allow', 'deny', 'ask'] as const

/** Whatever could have made Haft stricter: losing one of these leaves the settings incomplete. */
const RESTRICTIVE = new Set(['deny', 'ask', 'defaultMode', 'disableModes'])

const RESTRICTIVE_SANDBOX = new Set('enabled required allowUnsandboxed allowUnixSockets denyRead denyWrite'.split(' '))

/** Takes what is right of a value, and logs the rest. Never throws. */
export function validateSettings(value: unknown, source: RuleSource, log: ProblemLog): Settings {
  if (!isRecord(value)) {
    log.add('error', 'must be an object. Nothing of it is in force.', [])
    log.isComplete = false
    return {}
  }
  if (Object.keys(value).length === 0) return {}
  const settings = pruned(wrapSingleRules(value, log), log)
  reportKeys(settings, source, log)
  if (settings.mcpServers !== undefined) checkServers(settings.mcpServers, log)
  return withCheckedRules(settings, log)
}

/** A lone deny or ask rule was plainly meant as a list of one. */
function wrapSingleRules(value: Record<string, unknown>, log: ProblemLog): Record<string, unknown> {
  if (!isRecord(value.permissions)) return value
  const permissions = { ...value.permissions }
  for (const list of ['deny', 'ask']) {
    if (typeof permissions[list] !== 'string') continue
    log.add('warning', `permissions.${list} must be a list; it is read as a list of one.`, ['permissions', list])
    permissions[list] = [permissions[list]]
  }
  return { ...value, permissions }
}

/** Drops the parts that do not fit the schema until the rest does. */
function pruned(value: Record<string, unknown>, log: ProblemLog): Settings {
  let rest: unknown = value
  const schema = settingsSchema(Object.keys(value))
  for (;;) {
    const result = schema.safeParse(rest, { jitless: true })
    if (result.success) return result.data
    for (const { path, message } of result.error.issues) {
      const ignored = path.length === droppedWith(path).length ? 'It' : pathText(droppedWith(path))
      log.add('error', `${pathText(path)}: ${message}. ${ignored} is ignored.`, path)
      if (isRestrictive(path)) log.isComplete = false
    }
    rest = dropPaths(
      rest,
      result.error.issues.map(({ path }) => droppedWith(path)),
    )
  }
}

const NAMED = ['formatters', 'languageServers', 'providers', 'models'] as const

/** Half a program cannot be started and half a provider not be reached, so that each goes as a whole. */
function droppedWith(path: readonly PropertyKey[]): readonly PropertyKey[] {
  return NAMED.some((name) => name === path[0]) ? path.slice(0, 2) : path
}

function isRestrictive([top, key]: readonly PropertyKey[]): boolean {
  if (top === 'permissions') return key === undefined || RESTRICTIVE.has(String(key))
  if (top === 'sandbox') return key === undefined || RESTRICTIVE_SANDBOX.has(String(key))
  return top === 'hooks' || MANAGED_SWITCHES.some((name) => name === top)
}

function reportKeys(settings: Settings, source: RuleSource, log: ProblemLog): void {
  reportUnknown(settings, SETTINGS_KEYS, [], log)
  for (const key of ['permissions', 'sandbox'] as const) {
    const part = settings[key]
    if (part !== undefined) reportUnknown(part, Object.keys(settingSchema(key).unwrap().shape), [key], log)
  }
  for (const key of NAMED) {
    for (const [name, entry] of Object.entries(settings[key] ?? {}))
      reportUnknown(entry, Object.keys(settingSchema(key).unwrap().valueType.shape), [key, name], log)
  }
  if (source === 'projectSettings') reportKeysInProject(settings, log)
  if (source === 'policy') return
  for (const name of MANAGED_SWITCHES) {
    if (name in settings) log.add('warning', `${name} has effect in managed policy only.`, [name])
  }
}

/** What stands in a project's file goes to everybody who has the project. */
function reportKeysInProject({ providers = {} }: Settings, log: ProblemLog): void {
  for (const [name, { apiKey }] of Object.entries(providers)) {
    if (apiKey === undefined) continue
    const path = ['providers', name, 'apiKey']
    log.add('warning', `${pathText(path)}: a key in a file of the project is shared with it. Use apiKeyEnv.`, path)
  }
}

function withCheckedRules(settings: Settings, log: ProblemLog): Settings {
  if (settings.permissions === undefined) return settings
  const permissions = { ...settings.permissions }
  for (const list of RULE_LISTS) {
    const written = permissions[list]
    if (written === undefined) continue
    permissions[list] = [
      ...checkRules(list, written, (message, index) => {
        const effect = list === 'allow' ? 'It is ignored.' : 'Until it is corrected, it counts for the whole tool.'
        log.add('error', `${message} ${effect}`, ['permissions', list, index])
      }),
    ]
  }
  return { ...settings, permissions }
}
