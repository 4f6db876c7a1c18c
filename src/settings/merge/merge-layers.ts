import { relative } from 'node:path'
import type { SandboxSettings } from '../../contract/host/sandbox-settings.js'
import type { McpServerLayer } from '../../contract/mcp/server-entry.js'
import {
  createPermissionContext,
  type PermissionMode,
  type RuleFiles,
  type RuleSource,
  type RulesBySource,
  type ToolPermissionContext,
  type WorkingDirectory,
} from '../../contract/permission/context.js'
import { isRecord } from '../../shared/is-record.js'
import { resolveDirectory } from '../files/resolve-directory.js'
import type { SettingsLayer } from '../read/read-settings.js'
import { createSettingsProblem, type SettingsProblem } from '../read/settings-problem.js'
import { SETTINGS_KEYS, type Settings } from '../read/settings-schema.js'
import { mergeSandbox } from './merge-sandbox.js'
import {
  PERMISSIVE_MODES,
  type PermissionRestrictions,
  restrictLayers,
  type WithheldSettings,
} from './restrict-layers.js'

/** The hooks of one file or option, not yet validated. */
export interface HookLayer {
  readonly source: RuleSource
  readonly file?: string
  readonly hooks: Readonly<Record<string, unknown>>
}

/** The settings that apply, after precedence, trust and the managed policy. */
export interface MergedSettings {
  readonly permissionContext: ToolPermissionContext
  readonly restrictions: PermissionRestrictions
  /** The classifier of auto mode. Undefined means the local rules. */
  readonly autoClassifier?: AutoClassifier
  readonly sandbox: SandboxSettings
  /** In order of precedence, highest first. */
  readonly hooks: readonly HookLayer[]
  readonly env: Readonly<Record<string, string>>
  /** Names and patterns of variables that commands inherit although they look like secrets. */
  readonly passVariables: readonly string[]
  /** Hosts that may be fetched although they have private addresses. */
  readonly allowedPrivateHosts: readonly string[]
  /** The service that searches the web. */
  readonly webSearch?: NonNullable<NonNullable<Settings['web']>['search']>
  /** How the agent can notify the user. */
  readonly push: NonNullable<Settings['push']>
  /** Other machines on which the agent can start runs. */
  readonly workers: NonNullable<Settings['workers']>
  /** How the browser runs. */
  readonly browser?: NonNullable<NonNullable<Settings['web']>['browser']>
  /** In order of precedence, highest first. The first server with a name hides later ones. */
  readonly mcpServers: readonly McpServerLayer[]
  /** True if the policy forbids servers from all other sources, including the host program. */
  readonly managedServersOnly: boolean
  readonly formatters: Readonly<Record<string, unknown>>
  readonly languageServers: Readonly<Record<string, unknown>>
  /** For each name, the entry of the highest source. */
  readonly providers: NonNullable<Settings['providers']>
  readonly models: NonNullable<Settings['models']>
  /** Model settings without those of the project. Only these choose the classifier of auto mode. */
  readonly ownModels: OwnModels
  /** For this and the following keys up to `fsync`, the value of the highest source that may set the key and does so. */
  readonly model?: string
  readonly smallModel?: string
  readonly fallbackModel?: string
  readonly thinking?: NonNullable<Settings['thinking']>
  readonly maxTurns?: number
  readonly autoCompact?: boolean
  readonly theme?: Settings['theme']
  readonly editorMode?: Settings['editorMode']
  readonly screenReader?: boolean
  readonly notifications?: boolean
  readonly idleNotificationMs?: number
  readonly cleanupPeriodDays?: number
  readonly maskSecrets?: boolean
  readonly fsync?: boolean
  /**
   * The names of the files and options that set a key, highest precedence first. For the single values above, only the one
   * that the value comes from.
   */
  readonly origins: Readonly<Record<string, readonly string[]>>
  /** Unknown keys, each from the highest source that has it. */
  readonly other: Readonly<Record<string, unknown>>
  readonly withheld: readonly WithheldSettings[]
  readonly problems: readonly SettingsProblem[]
  /** False if a setting that makes Haft stricter may have been ignored. Less strict modes are then not entered. */
  readonly isComplete: boolean
}

type OwnModels = Pick<MergedSettings, 'providers' | 'models' | 'model' | 'smallModel'>

/** Merges layers, highest precedence first: lists are joined, a single value comes from the first layer that sets it. */
export function mergeLayers(
  allLayers: readonly SettingsLayer[],
  { isTrusted, home }: { isTrusted: boolean; home: string },
): MergedSettings {
  const { layers, withheld, restrictions, managedServersOnly } = restrictLayers(allLayers, isTrusted)
  const isComplete = layers.every((layer) => layer.isComplete)
  const { mode, problems } = chooseMode(layers, { forbiddenModes: restrictions.forbiddenModes, isComplete })
  return {
    permissionContext: createPermissionContext({
      mode,
      alwaysAllowRules: collectRules(layers, 'allow'),
      alwaysDenyRules: collectRules(layers, 'deny'),
      alwaysAskRules: collectRules(layers, 'ask'),
      additionalWorkingDirectories: collectDirectories(layers, home),
      ...collectTrustedServers(layers),
      ...collectRuleFiles(layers),
    }),
    restrictions,
    ...chooseClassifier(layers),
    sandbox: mergeSandbox(layers, home),
    hooks: layers.flatMap(toHookLayers),
    env: Object.fromEntries(
      Object.entries(mergeFirstByName(layers, 'env')).map(([name, value]) => [name, String(value)]),
    ),
    passVariables: layers.flatMap(({ settings }) => settings.passVariables ?? []),
    ...chooseWebSearch(layers),
    push: mergePush(layers),
    workers: mergeWorkers(layers),
    ...chooseBrowser(layers),
    allowedPrivateHosts: layers.flatMap(({ settings }) => settings.web?.allowPrivateHosts ?? []),
    mcpServers: layers.flatMap(toServerLayers),
    managedServersOnly,
    formatters: mergeFirstByName(layers, 'formatters'),
    languageServers: mergeFirstByName(layers, 'languageServers'),
    providers: mergeFirstByName(layers, 'providers'),
    models: mergeFirstByName(layers, 'models'),
    ownModels: chooseOwnModels(layers.filter((layer) => !isFromProject(layer))),
    ...chooseSingleValues(layers),
    origins: collectOrigins(layers),
    other: collectUnknownKeys(layers),
    withheld,
    problems: [...allLayers.flatMap((layer) => layer.problems), ...problems, ...layers.flatMap(findFileModelProblems)],
    isComplete,
  }
}

type AutoClassifier = NonNullable<NonNullable<Settings['permissions']>['autoClassifier']>

/**
 * Chooses the service that searches the web. Ignores project files, which could send queries and a key to a server of their
 * choice.
 */
function chooseWebSearch(layers: readonly SettingsLayer[]): Pick<MergedSettings, 'webSearch'> {
  const [webSearch] = layers.flatMap((layer) => (isFromProject(layer) ? [] : (layer.settings.web?.search ?? [])))
  return webSearch === undefined ? {} : { webSearch }
}

/** Merges the settings for notifications. Ignores project files, which could send the messages to a server of their choice. */
function mergePush(layers: readonly SettingsLayer[]): MergedSettings['push'] {
  const values = layers.flatMap((layer) => (isFromProject(layer) ? [] : (layer.settings.push ?? [])))
  return Object.assign({}, ...values.reverse())
}

/** Merges the workers. Ignores project files, which could send prompts and a token to a server of their choice. */
function mergeWorkers(layers: readonly SettingsLayer[]): MergedSettings['workers'] {
  const values = layers.flatMap((layer) =>
    isFromProject(layer) || layer.settings.workers === undefined ? [] : [layer.settings.workers],
  )
  return Object.assign({}, ...values.reverse())
}

/**
 * Chooses how the browser runs. Ignores project files: a project must not choose the program that runs, or a profile with the
 * user's logins.
 */
function chooseBrowser(layers: readonly SettingsLayer[]): Pick<MergedSettings, 'browser'> {
  const browser = layers.find((layer) => !isFromProject(layer) && layer.settings.web?.browser)?.settings.web?.browser
  return browser === undefined ? {} : { browser }
}

/** Chooses the classifier of auto mode. Ignores project files: a project must not choose its own classifier. */
function chooseClassifier(layers: readonly SettingsLayer[]): Pick<MergedSettings, 'autoClassifier'> {
  const values = layers.flatMap((layer) =>
    isFromProject(layer) ? [] : (layer.settings.permissions?.autoClassifier ?? []),
  )
  return values[0] === undefined ? {} : { autoClassifier: values[0] }
}

/** Collects the trusted servers. Ignores project files: a project must not declare its own servers as trusted. */
function collectTrustedServers(layers: readonly SettingsLayer[]): Pick<ToolPermissionContext, 'trustedMcpServers'> {
  const names = layers.flatMap((layer) =>
    isFromProject(layer) ? [] : (layer.settings.permissions?.trustedMcpServers ?? []),
  )
  return names.length === 0 ? {} : { trustedMcpServers: [...new Set(names)] }
}

function isFromProject({ origin }: SettingsLayer): boolean {
  return origin.source === 'projectSettings' || origin.source === 'localSettings'
}

function collectRules(layers: readonly SettingsLayer[], list: 'allow' | 'deny' | 'ask'): RulesBySource {
  const listsBySource: Partial<Record<RuleSource, string[]>> = {}
  for (const { origin, settings } of layers) {
    const rules = settings.permissions?.[list] ?? []
    if (rules.length > 0)
      listsBySource[origin.source] = [...new Set([...(listsBySource[origin.source] ?? []), ...rules])]
  }
  return listsBySource
}

function collectDirectories(layers: readonly SettingsLayer[], home: string): readonly WorkingDirectory[] {
  const directoriesByKey = new Map<string, WorkingDirectory>()
  for (const { origin, settings, base } of layers) {
    for (const directory of settings.permissions?.additionalDirectories ?? []) {
      const path = resolveDirectory(directory, { base, home })
      directoriesByKey.set(`${origin.source} ${path}`, { path, source: origin.source })
    }
  }
  return [...directoriesByKey.values()]
}

function toHookLayers({ origin: { source, file }, settings }: SettingsLayer): readonly HookLayer[] {
  if (settings.hooks === undefined) return []
  return [{ source, ...(file !== undefined && { file }), hooks: settings.hooks }]
}

function toServerLayers({ origin: { source, file }, base, settings }: SettingsLayer): readonly McpServerLayer[] {
  if (settings.mcpServers === undefined) return []
  return [{ source, ...(file !== undefined && { file }), base, servers: settings.mcpServers }]
}

const SINGLE_VALUE_KEYS = [
  'model',
  'smallModel',
  'fallbackModel',
  'thinking',
  'maxTurns',
  'autoCompact',
  'theme',
  'editorMode',
  'screenReader',
  'notifications',
  'idleNotificationMs',
  'cleanupPeriodDays',
  'maskSecrets',
  'fsync',
] as const

function chooseSingleValues(layers: readonly SettingsLayer[]): Pick<MergedSettings, SingleValueKey> {
  const entries = SINGLE_VALUE_KEYS.flatMap((key) => {
    const value = findLayerOf(key, layers)?.settings[key]
    return value === undefined ? [] : [[key, value]]
  })
  return Object.fromEntries(entries)
}

type SingleValueKey = (typeof SINGLE_VALUE_KEYS)[number]

function findLayerOf(key: SingleValueKey, layers: readonly SettingsLayer[]): SettingsLayer | undefined {
  return layers.find((layer) => layer.settings[key] !== undefined && canSet(layer, key))
}

function collectOrigins(layers: readonly SettingsLayer[]): MergedSettings['origins'] {
  const isSingle = (key: string): key is SingleValueKey => SINGLE_VALUE_KEYS.some((each) => each === key)
  const entries = SETTINGS_KEYS.map((key) => {
    const layersOfKey = isSingle(key)
      ? [findLayerOf(key, layers)].filter((layer) => layer !== undefined)
      : layers.filter(({ settings }) => isSet(settings[key]))
    return [key, layersOfKey.map(({ origin }) => origin.name)] as const
  })
  return Object.fromEntries(entries.filter(([, names]) => names.length > 0))
}

/** Whether a section has a value. Restricting a layer can leave an empty section. */
function isSet(value: unknown): boolean {
  return value !== undefined && !(isRecord(value) && Object.keys(value).length === 0)
}

/**
 * Whether a layer may set a key. A project must not decide how long sessions are kept, nor provide a file that acts as a model.
 */
function canSet(layer: SettingsLayer, key: SingleValueKey): boolean {
  return !isFromProject(layer) || (key !== 'cleanupPeriodDays' && !isFileModel(layer.settings[key]))
}

/** Whether a file acts as the model: `scripted:` runs a program inside Haft, `replay:` repeats recorded answers. */
export function isFileModel(name: unknown): boolean {
  return typeof name === 'string' && /^\s*(scripted|replay):/.test(name)
}

function findFileModelProblems(layer: SettingsLayer): readonly SettingsProblem[] {
  return SINGLE_VALUE_KEYS.filter((key) => isFileModel(layer.settings[key]) && !canSet(layer, key)).map((key) =>
    createSettingsProblem(
      'error',
      layer.origin,
      `${key} is ignored: a project cannot choose a scripted or recorded model.`,
    ),
  )
}

function chooseOwnModels(layers: readonly SettingsLayer[]): OwnModels {
  const { model, smallModel } = chooseSingleValues(layers)
  return {
    ...{ providers: mergeFirstByName(layers, 'providers'), models: mergeFirstByName(layers, 'models') },
    ...(model !== undefined && { model }),
    ...(smallModel !== undefined && { smallModel }),
  }
}

type NamedKey = 'env' | 'formatters' | 'languageServers' | 'providers' | 'models'

/** Merges the records of all layers: for each name, the entry of the first layer that has one. */
function mergeFirstByName<K extends NamedKey>(
  layers: readonly SettingsLayer[],
  key: K,
): Readonly<NonNullable<Settings[K]>> {
  const entries = layers.toReversed().flatMap(({ settings }) => Object.entries(settings[key] ?? {}))
  return Object.fromEntries(entries) as NonNullable<Settings[K]>
}

function collectUnknownKeys(layers: readonly SettingsLayer[]): Readonly<Record<string, unknown>> {
  const knownKeys: ReadonlySet<string> = new Set(SETTINGS_KEYS)
  const findUnknownEntries = (settings: Settings) => Object.entries(settings).filter(([key]) => !knownKeys.has(key))
  return Object.fromEntries(layers.toReversed().flatMap(({ settings }) => findUnknownEntries(settings)))
}

/** Fallback modes; the first that is not forbidden is used. */
const SAFE_MODES: readonly PermissionMode[] = ['default', 'plan', 'dontAsk']

/** Returns the mode of the highest layer that sets one. Falls back to a safe mode if that mode is forbidden, or if it is permissive and the settings are incomplete. */
function chooseMode(
  layers: readonly SettingsLayer[],
  { forbiddenModes, isComplete }: { forbiddenModes: readonly PermissionMode[]; isComplete: boolean },
): { mode: PermissionMode; problems: readonly SettingsProblem[] } {
  const fallbackMode = SAFE_MODES.find((mode) => !forbiddenModes.includes(mode)) ?? 'dontAsk'
  const layer = layers.find(({ settings }) => settings.permissions?.defaultMode !== undefined)
  const requestedMode = layer?.settings.permissions?.defaultMode
  if (layer === undefined || requestedMode === undefined) return { mode: fallbackMode, problems: [] }
  const refuseMode = (reason: string) => ({
    mode: fallbackMode,
    problems: [createSettingsProblem('error', layer.origin, `mode ${requestedMode} ${reason}; using ${fallbackMode}.`)],
  })
  if (forbiddenModes.includes(requestedMode)) return refuseMode('is forbidden by the settings')
  if (!isComplete && PERMISSIVE_MODES.includes(requestedMode))
    return refuseMode('cannot be used until every settings file is readable')
  return { mode: requestedMode, problems: [] }
}

/** Maps rules that only occur in files of other agents to the names of these files. Layers are highest first. */
function collectRuleFiles(layers: readonly SettingsLayer[]): { readonly ruleFiles?: RuleFiles } {
  const seenRules = new Set<string>()
  const filesBySource: Partial<Record<RuleSource, Record<string, string>>> = {}
  for (const { origin, base, settings } of layers) {
    const { allow = [], deny = [], ask = [] } = settings.permissions ?? {}
    const name = origin.file === undefined ? '' : relative(base, origin.file).replaceAll('\\', '/')
    for (const rule of [...allow, ...deny, ...ask]) {
      if (name.startsWith('.claude/') && !seenRules.has(`${origin.source} ${rule}`)) {
        const displayName = origin.source === 'userSettings' ? `~/${name}` : name
        filesBySource[origin.source] = { ...filesBySource[origin.source], [rule]: displayName }
      }
      seenRules.add(`${origin.source} ${rule}`)
    }
  }
  return Object.keys(filesBySource).length === 0 ? {} : { ruleFiles: filesBySource }
}
