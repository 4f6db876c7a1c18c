import {
  createPermissionContext,
  type PermissionMode,
  type ToolPermissionContext,
} from '../../../contract/permission/context.js'
import { type LoadedSettings, loadSettings } from '../../../settings/load-settings.js'
import { isProjectTrusted } from '../../../settings/trust.js'

/** Settings are looked at again after this long: a process that answers for hours must notice a change. */
const MAX_AGE_MS = 1_000
/** Folders and sets of rules that are remembered. */
const MAX_KEPT = 200

export interface GivenRules {
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  readonly ask: readonly string[]
}

export interface PermissionsAt {
  readonly permissions: ToolPermissionContext
  readonly projectDir: string
}

export interface SourceOptions {
  readonly homeDir: string
  readonly trust: boolean
  /** Told of what is wrong with the settings of a folder, once. */
  readonly onProblem: (message: string) => void
}

interface KeptSettings {
  readonly loadedAt: number
  readonly settings: Promise<LoadedSettings>
  readonly byMode: Map<PermissionMode, ToolPermissionContext>
}

/** Finds the permissions that a call is judged by, and remembers them: a thousand calls of one folder read its settings once. */
export class PermissionSource {
  readonly #options: SourceOptions
  readonly #byFolder = new Map<string, KeptSettings>()
  readonly #byRules = new Map<string, ToolPermissionContext>()
  readonly #reported = new Set<string>()

  constructor(options: SourceOptions) {
    this.#options = options
  }

  /** Only these rules, and no settings file. */
  fromRules(rules: GivenRules, mode: PermissionMode, cwd: string): PermissionsAt {
    const key = JSON.stringify([mode, rules.allow, rules.deny, rules.ask])
    const permissions = remember(this.#byRules, key, () =>
      createPermissionContext({
        mode,
        alwaysAllowRules: { cliArg: rules.allow },
        alwaysDenyRules: { cliArg: rules.deny },
        alwaysAskRules: { cliArg: rules.ask },
      }),
    )
    return { permissions, projectDir: cwd }
  }

  async fromSettings(cwd: string, mode: PermissionMode): Promise<PermissionsAt> {
    const kept = this.#kept(cwd)
    const { permissionContext, restrictions, projectRoot } = await kept.settings
    const allowed = restrictions.forbiddenModes.includes(mode) ? 'default' : mode
    const permissions = remember(kept.byMode, allowed, () =>
      createPermissionContext({ ...permissionContext, mode: allowed }),
    )
    return { permissions, projectDir: projectRoot }
  }

  #kept(cwd: string): KeptSettings {
    const known = this.#byFolder.get(cwd)
    if (known !== undefined && Date.now() - known.loadedAt < MAX_AGE_MS) return known
    this.#byFolder.delete(cwd)
    return remember(this.#byFolder, cwd, () => ({
      loadedAt: Date.now(),
      settings: this.#load(cwd),
      byMode: new Map(),
    }))
  }

  async #load(cwd: string): Promise<LoadedSettings> {
    const { homeDir: home, trust, onProblem } = this.#options
    const isTrusted = (projectRoot: string) => trust || isProjectTrusted(projectRoot, { home })
    const settings = await loadSettings({ cwd, home, isTrusted })
    for (const { message } of settings.problems) {
      if (this.#reported.has(message) || this.#reported.size >= MAX_KEPT) continue
      this.#reported.add(message)
      onProblem(message)
    }
    return settings
  }
}

function remember<K, V>(kept: Map<K, V>, key: K, make: () => V): V {
  const known = kept.get(key)
  if (known !== undefined) return known
  const made = make()
  const [oldest] = kept.keys()
  if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest)
  kept.set(key, made)
  return made
}
