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
import { resolveDirectory } from '../files/resolve-directory.js'
import type { SettingsLayer } from '../read/read-settings.js'
import { type SettingsProblem, settingsProblem } from '../read/settings-problem.js'
import { SETTINGS_KEYS, type Settings } from '../read/settings-schema.js'
import { mergeSandbox } from './merge-sandbox.js'
import {
  LOOSENING_MODES,
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

/** What all sources together say. */
export interface MergedSettings {
  readonly permissionContext: ToolPermissionContext
  readonly restrictions: PermissionRestrictions
  /** Who answers in auto mode; local rules if left out. */
  readonly autoClassifier?: AutoClassifier
  readonly sandbox: SandboxSettings
  /** In the order of the sources, highest first. */
  readonly hooks: readonly HookLayer[]
  readonly env: Readonly<Record<string, string>>
  /** In the order of the sources, highest first: the first that has a name decides about it. */
  readonly mcpServers: readonly McpServerLayer[]
  /** True where policy lets nobody else name a server, the host program included. */
  readonly managedServersOnly: boolean
  readonly formatters: Readonly<Record<string, unknown>>
  readonly languageServers: Readonly<Record<string, unknown>>
  /** Of each name what the highest source says. */
  readonly providers: NonNullable<Settings['providers']>
  readonly models: NonNullable<Settings['models']>
  /** What is said of models by others than the project: who answers in auto mode is chosen by these alone. */
  readonly ownModels: OwnModels
  /** Keys with one value. */
  readonly model?: string
  readonly smallModel?: string
  readonly fallbackModel?: string
  readonly thinking?: NonNullable<Settings['thinking']>
  readonly maxTurns?: number
  readonly autoCompact?: boolean
  readonly cleanupPeriodDays?: number
  /** Keys that Haft does not know, from the highest source that has them. */
  readonly other: Readonly<Record<string, unknown>>
  readonly withheld: readonly WithheldSettings[]
  readonly problems: readonly SettingsProblem[]
  /** False where something that made Haft stricter may have been lost; loosening modes are held back then. */
  readonly isComplete: boolean
}

type OwnModels = Pick<MergedSettings, 'providers' | 'models' | 'model' | 'smallModel'>

/** Lists merge over all layers; a single value comes from the first layer that sets it. Layers come highest first. */
export function mergeLayers(
  found: readonly SettingsLayer[],
  { isTrusted, home }: { isTrusted: boolean; home: string },
): MergedSettings {
  const { layers, withheld, restrictions, managedServersOnly } = restrictLayers(found, isTrusted)
  const isComplete = layers.every((layer) => layer.isComplete)
  const { mode, problems } = chooseMode(layers, { forbidden: restrictions.forbiddenModes, isComplete })
  return {
    permissionContext: createPermissionContext({
      mode,
      alwaysAllowRules: rulesBySource(layers, 'allow'),
      alwaysDenyRules: rulesBySource(layers, 'deny'),
      alwaysAskRules: rulesBySource(layers, 'ask'),
      additionalWorkingDirectories: directories(layers, home),
      ...ruleFiles(layers),
    }),
    restrictions,
    ...classifierOf(layers),
    sandbox: mergeSandbox(layers, home),
    hooks: layers.flatMap(hooksOf),
    env: Object.fromEntries(Object.entries(firstOfEach(layers, 'env')).map(([name, value]) => [name, String(value)])),
    mcpServers: layers.flatMap(serversOf),
    managedServersOnly,
    formatters: firstOfEach(layers, 'formatters'),
    languageServers: firstOfEach(layers, 'languageServers'),
    providers: firstOfEach(layers, 'providers'),
    models: firstOfEach(layers, 'models'),
    ownModels: ownModels(layers.filter((layer) => !isOfProject(layer))),
    ...singleValues(layers),
    other: unknownKeys(layers),
    withheld,
    problems: [...found.flatMap((layer) => layer.problems), ...problems, ...layers.flatMap(fileModelProblems)],
    isComplete,
  }
}

type AutoClassifier = NonNullable<NonNullable<Settings['permissions']>['autoClassifier']>

/** What a project says is left out: it must not choose its own judge. */
function classifierOf(layers: readonly SettingsLayer[]): Pick<MergedSettings, 'autoClassifier'> {
  const said = layers.flatMap((layer) => (isOfProject(layer) ? [] : (layer.settings.permissions?.autoClassifier ?? [])))
  return said[0] === undefined ? {} : { autoClassifier: said[0] }
}

function isOfProject({ place }: SettingsLayer): boolean {
  return place.source === 'projectSettings' || place.source === 'localSettings'
}

function rulesBySource(layers: readonly SettingsLayer[], list: 'allow' | 'deny' | 'ask'): RulesBySource {
  const bySource: Partial<Record<RuleSource, string[]>> = {}
  for (const { place, settings } of layers) {
    const rules = settings.permissions?.[list] ?? []
    if (rules.length > 0) bySource[place.source] = [...new Set([...(bySource[place.source] ?? []), ...rules])]
  }
  return bySource
}

function directories(layers: readonly SettingsLayer[], home: string): readonly WorkingDirectory[] {
  const found = new Map<string, WorkingDirectory>()
  for (const { place, settings, base } of layers) {
    for (const written of settings.permissions?.additionalDirectories ?? []) {
      const path = resolveDirectory(written, { base, home })
      found.set(`${place.source} ${path}`, { path, source: place.source })
    }
  }
  return [...found.values()]
}

function hooksOf({ place: { source, file }, settings }: SettingsLayer): readonly HookLayer[] {
  if (settings.hooks === undefined) return []
  return [{ source, ...(file !== undefined && { file }), hooks: settings.hooks }]
}

function serversOf({ place: { source, file }, base, settings }: SettingsLayer): readonly McpServerLayer[] {
  if (settings.mcpServers === undefined) return []
  return [{ source, ...(file !== undefined && { file }), base, servers: settings.mcpServers }]
}

const SINGLE = [
  'model',
  'smallModel',
  'fallbackModel',
  'thinking',
  'maxTurns',
  'autoCompact',
  'cleanupPeriodDays',
] as const

function singleValues(layers: readonly SettingsLayer[]): Pick<MergedSettings, (typeof SINGLE)[number]> {
  const entries = SINGLE.flatMap((key) => {
    const value = layers.find((layer) => layer.settings[key] !== undefined && maySet(layer, key))?.settings[key]
    return value === undefined ? [] : [[key, value]]
  })
  return Object.fromEntries(entries)
}

/** A project has no say in what becomes of the sessions of others, and its files do not speak as a model. */
function maySet(layer: SettingsLayer, key: (typeof SINGLE)[number]): boolean {
  return !isOfProject(layer) || (key !== 'cleanupPeriodDays' && !isFileModel(layer.settings[key]))
}

/** `scripted:` runs a program inside Haft, and what both of them say is not what a model says. */
function isFileModel(name: unknown): boolean {
  return typeof name === 'string' && /^\s*(scripted|replay):/.test(name)
}

function fileModelProblems(layer: SettingsLayer): readonly SettingsProblem[] {
  return SINGLE.filter((key) => isFileModel(layer.settings[key]) && !maySet(layer, key)).map((key) =>
    settingsProblem('error', layer.place, `${key} is not taken: a project cannot choose a model that is a file.`),
  )
}

function ownModels(layers: readonly SettingsLayer[]): OwnModels {
  const { model, smallModel } = singleValues(layers)
  return {
    ...{ providers: firstOfEach(layers, 'providers'), models: firstOfEach(layers, 'models') },
    ...(model !== undefined && { model }),
    ...(smallModel !== undefined && { smallModel }),
  }
}

type NamedKey = 'env' | 'formatters' | 'languageServers' | 'providers' | 'models'

/** A record is merged name by name. */
function firstOfEach<K extends NamedKey>(layers: readonly SettingsLayer[], key: K): Readonly<NonNullable<Settings[K]>> {
  const entries = layers.toReversed().flatMap(({ settings }) => Object.entries(settings[key] ?? {}))
  return Object.fromEntries(entries) as NonNullable<Settings[K]>
}

function unknownKeys(layers: readonly SettingsLayer[]): Readonly<Record<string, unknown>> {
  const known: ReadonlySet<string> = new Set(SETTINGS_KEYS)
  const entries = (settings: Settings) => Object.entries(settings).filter(([key]) => !known.has(key))
  return Object.fromEntries(layers.toReversed().flatMap(({ settings }) => entries(settings)))
}

/** What a session falls back to, the first that is not forbidden. */
const SAFE_MODES: readonly PermissionMode[] = ['default', 'plan', 'dontAsk']

/** The mode of the highest layer that sets one, unless it is forbidden or a lost rule might have reined it in. */
export function chooseMode(
  layers: readonly SettingsLayer[],
  { forbidden, isComplete }: { forbidden: readonly PermissionMode[]; isComplete: boolean },
): { mode: PermissionMode; problems: readonly SettingsProblem[] } {
  const fallback = SAFE_MODES.find((mode) => !forbidden.includes(mode)) ?? 'dontAsk'
  const layer = layers.find(({ settings }) => settings.permissions?.defaultMode !== undefined)
  const wanted = layer?.settings.permissions?.defaultMode
  if (layer === undefined || wanted === undefined) return { mode: fallback, problems: [] }
  const refused = (why: string) => ({
    mode: fallback,
    problems: [settingsProblem('error', layer.place, `mode ${wanted} ${why}; ${fallback} is used.`)],
  })
  if (forbidden.includes(wanted)) return refused('is forbidden by settings')
  if (!isComplete && LOOSENING_MODES.includes(wanted)) return refused('waits until every settings file can be read')
  return { mode: wanted, problems: [] }
}

/** Which rules stand only in files of other agents, and what those are called. Layers come highest first. */
export function ruleFiles(layers: readonly SettingsLayer[]): { readonly ruleFiles?: RuleFiles } {
  const seen = new Set<string>()
  const found: Partial<Record<RuleSource, Record<string, string>>> = {}
  for (const { place, base, settings } of layers) {
    const { allow = [], deny = [], ask = [] } = settings.permissions ?? {}
    const name = place.file === undefined ? '' : relative(base, place.file).replaceAll('\\', '/')
    for (const rule of [...allow, ...deny, ...ask]) {
      if (name.startsWith('.claude/') && !seen.has(`${place.source} ${rule}`)) {
        const shown = place.source === 'userSettings' ? `~/${name}` : name
        found[place.source] = { ...found[place.source], [rule]: shown }
      }
      seen.add(`${place.source} ${rule}`)
    }
  }
  return Object.keys(found).length === 0 ? {} : { ruleFiles: found }
}
