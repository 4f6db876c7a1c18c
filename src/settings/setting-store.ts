import * as z from 'zod'
import {
  CHANGEABLE_SETTINGS,
  type ChangeableSetting,
  type ChangeableSettingName,
  type ConfigPort,
  type SettingChange,
  SettingError,
  type SettingValue,
} from '../contract/ports/settings.js'
import { didYouMean } from '../shared/nearest-names.js'
import { quote } from '../shared/quote.js'
import { resolveLinks } from './files/resolve-real-path.js'
import { settingsFileOf } from './files/settings-files.js'
import { removeJsoncMember, setJsoncValue } from './jsonc/edit-jsonc.js'
import type { LoadedSettings } from './load-settings.js'
import { isFileModel } from './merge/merge-layers.js'
import { getKeySchema, MANAGED_SWITCHES, SETTINGS_KEYS } from './read/settings-schema.js'
import { changeSettingsFile, SettingsSaveError } from './save/change-settings-file.js'

export interface SettingStoreOptions {
  /** Reads the settings of all sources again. */
  readonly load: () => Promise<LoadedSettings>
  readonly home: string
  /** Returns why a model cannot be used; undefined if it can. */
  readonly findModelProblem?: (name: string, settings: LoadedSettings) => Promise<string | undefined>
}

type ChangeListener = (name: ChangeableSettingName, value: unknown) => void

/** Reads the settings of all sources, and changes those of the user that `CHANGEABLE_SETTINGS` lists. */
export class SettingStore implements ConfigPort {
  readonly #options: SettingStoreOptions
  readonly #listeners = new Set<ChangeListener>()

  constructor(options: SettingStoreOptions) {
    this.#options = options
  }

  /** Calls the listener after each change that takes effect; the value undefined stands for the default. */
  onChange(listener: ChangeListener): void {
    this.#listeners.add(listener)
  }

  async read(name: string): Promise<SettingValue> {
    const key = findKey(name)
    return toSettingValue(key, await this.#options.load())
  }

  /** Reads all settings that can be changed. */
  async readChangeable(): Promise<readonly SettingValue[]> {
    const settings = await this.#options.load()
    return CHANGEABLE_SETTINGS.map(({ name }) => toSettingValue(name, settings))
  }

  /** Reads all settings. */
  async readAll(): Promise<readonly SettingValue[]> {
    const settings = await this.#options.load()
    return READABLE_KEYS.map((key) => toSettingValue(key, settings))
  }

  async preview(name: string, value: unknown): Promise<SettingChange> {
    return (await this.#prepare(name, value)).change
  }

  async change(name: string, value: unknown): Promise<SettingChange> {
    const { setting, change } = await this.#prepare(name, value)
    const { newValue, overriddenBy } = change
    const edit = (text: string) =>
      newValue === undefined
        ? removeJsoncMember(text || '{}\n', [setting.name])
        : setJsoncValue(text || '{}\n', [setting.name], newValue)
    try {
      await changeSettingsFile(change.file, edit, { mode: 0o600 })
    } catch (error) {
      if (!(error instanceof SettingsSaveError)) throw error
      throw new SettingError(error.message, { cause: error })
    }
    if (overriddenBy === undefined) for (const listener of this.#listeners) listener(setting.name, newValue)
    return change
  }

  async #prepare(name: string, value: unknown) {
    const setting = requireChangeable(name)
    const settings = await this.#options.load()
    const newValue = value === null ? undefined : parseValue(setting.name, value)
    if (typeof newValue === 'string' && MODEL_SETTINGS.has(setting.name)) await this.#checkModel(newValue, settings)
    const home = await resolveLinks(this.#options.home)
    const file = settingsFileOf('userSettings', { projectRoot: home, home })
    const valueBefore = settings[setting.name]
    const [origin] = settings.origins[setting.name] ?? []
    const isOverridden = origin !== undefined && origin !== file
    const change: SettingChange = {
      ...{ name: setting.name, before: valueBefore, newValue, file },
      appliesAtOnce: 'appliesAtOnce' in setting,
      ...(isOverridden && { overriddenBy: origin }),
    }
    return { setting, change }
  }

  async #checkModel(name: string, settings: LoadedSettings): Promise<void> {
    if (isFileModel(name))
      throw new SettingError(
        `${quote(name)} loads a file. Only the user can choose such a model, in the settings file.`,
      )
    const problem = await this.#options.findModelProblem?.(name, settings)
    if (problem !== undefined) throw new SettingError(problem)
  }
}

/** The switches of the managed policy are left out: what they forbid is reported where it is set. */
type ReadableKey = Exclude<(typeof SETTINGS_KEYS)[number], '$schema' | (typeof MANAGED_SWITCHES)[number]>

/** Settings that contain neither keys nor commands. */
type PlainKey =
  | ChangeableSettingName
  | 'smallModel'
  | 'maxTurns'
  | 'cleanupPeriodDays'
  | 'maskSecrets'
  | 'fsync'
  | 'sandbox'
  | 'models'
  | 'passVariables'

const UNREADABLE_KEYS: ReadonlySet<string> = new Set(['$schema', ...MANAGED_SWITCHES])
const READABLE_KEYS = SETTINGS_KEYS.filter((key): key is ReadableKey => !UNREADABLE_KEYS.has(key))

const MODEL_SETTINGS: ReadonlySet<string> = new Set<ChangeableSettingName>(['model', 'fallbackModel'])

function findChangeable(name: string) {
  return CHANGEABLE_SETTINGS.find((setting) => setting.name === name)
}

function findKey(name: string): ReadableKey {
  const key = READABLE_KEYS.find((each) => each === name)
  if (key !== undefined) return key
  const advice = didYouMean(name, READABLE_KEYS)
  throw new SettingError(`Unknown setting ${quote(name)}.${advice} The settings are: ${READABLE_KEYS.join(', ')}.`)
}

function requireChangeable(name: string): (typeof CHANGEABLE_SETTINGS)[number] {
  const setting = findChangeable(findKey(name))
  if (setting !== undefined) return setting
  const names = CHANGEABLE_SETTINGS.map((each: ChangeableSetting) => each.name)
  throw new SettingError(
    `The setting ${name} cannot be changed here; the user can edit it with haft config edit. These can: ${names.join(', ')}.`,
  )
}

/** Parses a value. A model may write `"true"` for `true`, so text that is not a valid value is read as JSON. */
function parseValue(name: ChangeableSettingName, value: unknown): unknown {
  const schema = getKeySchema(name)
  for (const candidate of typeof value === 'string' ? [value.trim(), parseJson(value)] : [value]) {
    const result = schema.safeParse(candidate, { jitless: true })
    if (result.success && result.data !== undefined) return result.data
  }
  throw new SettingError(`${quote(String(value))} is not a value of ${name}. ${describeValues(name)}`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON, so there is no second reading of the text.
    return undefined
  }
}

/** Returns the values of a setting if they can be listed; undefined otherwise. */
export function listValues(name: ChangeableSettingName): readonly (string | boolean)[] | undefined {
  const schema = getKeySchema(name).unwrap()
  if (schema instanceof z.ZodEnum) return schema.options
  return schema instanceof z.ZodBoolean ? [true, false] : undefined
}

function describeValues(name: ChangeableSettingName): string {
  const values = listValues(name)
  return values === undefined ? describeKey(name) : `Use ${values.join(', ')}.`
}

function describeKey(key: ReadableKey): string {
  const schema = getKeySchema(key)
  return schema.description ?? schema.unwrap().description ?? ''
}

function toSettingValue(key: ReadableKey, settings: LoadedSettings): SettingValue {
  return {
    name: key,
    description: describeKey(key),
    value: readableValueOf(key, settings),
    sources: settings.origins[key] ?? [],
    isChangeable: findChangeable(key) !== undefined,
  }
}

/**
 * Returns the value of a setting without secrets: of sections that can contain keys or commands, only the names are returned.
 */
function readableValueOf(key: ReadableKey, settings: LoadedSettings): unknown {
  switch (key) {
    case 'permissions':
      return describePermissions(settings)
    case 'web': {
      const { provider } = settings.webSearch ?? {}
      return {
        allowPrivateHosts: settings.allowedPrivateHosts,
        ...(provider !== undefined && { search: { provider } }),
      }
    }
    case 'hooks':
      return [...new Set(settings.hooks.flatMap(({ hooks }) => Object.keys(hooks)))]
    case 'mcpServers':
      return [...new Set(settings.mcpServers.flatMap(({ servers }) => Object.keys(servers)))]
    case 'env':
    case 'providers':
    case 'formatters':
    case 'languageServers':
    case 'workers':
      return Object.keys(settings[key])
    case 'push': {
      const { desktop, webhook } = settings.push
      return { ...(desktop !== undefined && { desktop }), hasWebhook: webhook !== undefined }
    }
    default: {
      // A new key does not compile here until it is known to contain no secret.
      const plainKey: PlainKey = key
      return settings[plainKey]
    }
  }
}

function describePermissions({ permissionContext, restrictions, autoClassifier = 'local' }: LoadedSettings) {
  const { mode, alwaysAllowRules, alwaysDenyRules, alwaysAskRules, additionalWorkingDirectories } = permissionContext
  return {
    ...{ defaultMode: mode, allow: alwaysAllowRules, deny: alwaysDenyRules, ask: alwaysAskRules },
    additionalDirectories: additionalWorkingDirectories.map(({ path }) => path),
    ...{ disableModes: restrictions.forbiddenModes, autoClassifier },
  }
}
