import {
  createPermissionContext,
  type PermissionMode,
  type ToolPermissionContext,
} from '../../../contract/permission/context.js'
import { type LoadedSettings, loadSettings } from '../../../settings/load-settings.js'
import { isProjectTrusted } from '../../../settings/trust.js'

/** Settings are reloaded after this time, because a long-running process must notice changes. */
const MAX_AGE_MS = 1_000
/** The maximum number of cached folders, of cached rule sets and of reported problems. */
const MAX_CACHED_SETTINGS = 200

export interface RequestedRules {
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  readonly ask: readonly string[]
}

export interface FolderPermissions {
  readonly permissions: ToolPermissionContext
  readonly projectDir: string
}

export interface PermissionSourceOptions {
  readonly homeDir: string
  readonly trust: boolean
  /** Whether this machine has a sandbox. Called at most once. */
  readonly canConfine: () => Promise<boolean>
  /** Called once for each different message about invalid settings, up to a limit. */
  readonly onProblem: (message: string) => void
}

interface CachedSettings {
  readonly loadedAt: number
  readonly settings: Promise<LoadedSettings>
  readonly contextByMode: Map<PermissionMode, ToolPermissionContext>
}

/** Loads and caches permissions. The settings of a folder are read at most once a second, even for many calls. */
export class PermissionSource {
  readonly #options: PermissionSourceOptions
  readonly #settingsByFolder = new Map<string, CachedSettings>()
  readonly #contextsByRules = new Map<string, ToolPermissionContext>()
  readonly #reportedProblems = new Set<string>()
  #canConfine: Promise<boolean> | undefined

  constructor(options: PermissionSourceOptions) {
    this.#options = options
  }

  /** Whether read-only commands run in a sandbox on this machine. */
  canConfine(): Promise<boolean> {
    this.#canConfine ??= this.#options.canConfine()
    return this.#canConfine
  }

  /** Uses only these rules and no settings file. */
  fromRules(rules: RequestedRules, mode: PermissionMode, cwd: string): FolderPermissions {
    const key = JSON.stringify([mode, rules.allow, rules.deny, rules.ask])
    const permissions = getOrCreate(this.#contextsByRules, key, () =>
      createPermissionContext({
        mode,
        alwaysAllowRules: { cliArg: rules.allow },
        alwaysDenyRules: { cliArg: rules.deny },
        alwaysAskRules: { cliArg: rules.ask },
      }),
    )
    return { permissions, projectDir: cwd }
  }

  async fromSettings(cwd: string, mode: PermissionMode): Promise<FolderPermissions> {
    const cachedSettings = this.#getSettings(cwd)
    const { permissionContext, restrictions, projectRoot } = await cachedSettings.settings
    const allowedMode = restrictions.forbiddenModes.includes(mode) ? 'default' : mode
    const permissions = getOrCreate(cachedSettings.contextByMode, allowedMode, () =>
      createPermissionContext({ ...permissionContext, mode: allowedMode }),
    )
    return { permissions, projectDir: projectRoot }
  }

  #getSettings(cwd: string): CachedSettings {
    const cachedSettings = this.#settingsByFolder.get(cwd)
    if (cachedSettings !== undefined && Date.now() - cachedSettings.loadedAt < MAX_AGE_MS) return cachedSettings
    this.#settingsByFolder.delete(cwd)
    return getOrCreate(this.#settingsByFolder, cwd, () => ({
      loadedAt: Date.now(),
      settings: this.#load(cwd),
      contextByMode: new Map(),
    }))
  }

  async #load(cwd: string): Promise<LoadedSettings> {
    const { homeDir: home, trust, onProblem } = this.#options
    const isTrusted = (projectRoot: string) => trust || isProjectTrusted(projectRoot, { home })
    const settings = await loadSettings({ cwd, home, isTrusted })
    for (const { message } of settings.problems) {
      if (this.#reportedProblems.has(message) || this.#reportedProblems.size >= MAX_CACHED_SETTINGS) continue
      this.#reportedProblems.add(message)
      onProblem(message)
    }
    return settings
  }
}

function getOrCreate<K, V>(cache: Map<K, V>, key: K, create: () => V): V {
  const cachedValue = cache.get(key)
  if (cachedValue !== undefined) return cachedValue
  const createdValue = create()
  const [oldestKey] = cache.keys()
  if (cache.size >= MAX_CACHED_SETTINGS && oldestKey !== undefined) cache.delete(oldestKey)
  cache.set(key, createdValue)
  return createdValue
}
