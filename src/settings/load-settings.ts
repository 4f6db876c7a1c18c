import { resolve } from 'node:path'
import { RULE_SOURCES, type RuleSource } from '../contract/permission/context.js'
import type { MaybePromise } from '../shared/maybe-promise.js'
import { reasonOf } from '../shared/reason-of.js'
import { findProjectRoot } from './files/find-project-root.js'
import { directoryBaseOf } from './files/resolve-directory.js'
import { resolveLinks } from './files/resolve-real-path.js'
import { getTrustFile, listSettingsFiles, type SettingsFile } from './files/settings-files.js'
import { type MergedSettings, mergeLayers } from './merge/merge-layers.js'
import {
  type ReadSettings,
  readSettingsFile,
  readSettingsText,
  readSettingsValue,
  type SettingsLayer,
} from './read/read-settings.js'
import { createSettingsProblem, type SettingsProblem } from './read/settings-problem.js'
import type { Settings } from './read/settings-schema.js'

/** Options of `loadSettings`: the folders, and settings of the host program. */
export interface LoadSettingsOptions {
  readonly cwd: string
  readonly home: string
  /** The managed policy file. Default: the location for the platform. */
  readonly policyPath?: string
  /** Settings of the host program: `session`, `command` and `cliArg`, highest precedence first. */
  readonly session?: Settings
  readonly command?: Settings
  readonly cliArg?: Settings
  /** The value of `--settings`: the path of a file, JSON text (starts with a brace) or an object. */
  readonly flagSettings?: string | Settings
  /** The settings files to read. Default: all. The managed policy is always read. */
  readonly sources?: readonly ('userSettings' | 'projectSettings' | 'localSettings')[]
  /** Called with the real path of the project; see `isProjectTrusted`. */
  readonly isTrusted: (projectRoot: string) => MaybePromise<boolean>
}

/** The merged settings of all sources, with the files that were read. */
export interface LoadedSettings extends MergedSettings {
  /** The real path of the project. */
  readonly projectRoot: string
  readonly isTrusted: boolean
  /** All files that are read, whether they exist or not; for `watchSettings`. */
  readonly files: readonly string[]
}

/** Reads and merges the settings of all sources. Never throws because of their content: see `problems`. */
export async function loadSettings(options: LoadSettingsOptions): Promise<LoadedSettings> {
  const { cwd, policyPath } = options
  const home = await resolveLinks(options.home)
  const projectRoot = await findProjectRoot({ cwd, home })
  const files = listSettingsFiles({ projectRoot, home, ...(policyPath !== undefined && { policyPath }) }).filter(
    ({ source }) => source === 'policy' || isRead(source, options),
  )
  const [trust, ...layers] = await Promise.all([
    checkTrust(options.isTrusted, projectRoot),
    readFlagLayer(options),
    ...files.map((file) => readFileLayer(file, { cwd, home, projectRoot })),
  ])
  const allLayers = [...readOptionLayers(options), ...layers.filter((layer) => layer !== undefined)]
  const rankOf = ({ origin }: SettingsLayer) => RULE_SOURCES.indexOf(origin.source)
  const mergedSettings = mergeLayers(
    allLayers.toSorted((a, b) => rankOf(a) - rankOf(b)),
    { isTrusted: trust.isTrusted, home },
  )
  return {
    ...mergedSettings,
    problems: [...trust.problems, ...mergedSettings.problems],
    projectRoot,
    isTrusted: trust.isTrusted,
    files: [...files.map(({ path }) => path), ...listFlagFiles(options), getTrustFile(home)],
  }
}

function isRead(source: RuleSource, { sources }: LoadSettingsOptions): boolean {
  return sources === undefined || sources.some((name) => name === source)
}

async function checkTrust(
  isTrusted: LoadSettingsOptions['isTrusted'],
  projectRoot: string,
): Promise<{ isTrusted: boolean; problems: readonly SettingsProblem[] }> {
  try {
    return { isTrusted: (await isTrusted(projectRoot)) === true, problems: [] }
  } catch (error) {
    const origin = { source: 'projectSettings', name: projectRoot } as const
    const text = `the project is treated as untrusted, because the trust check failed: ${reasonOf(error)}`
    return { isTrusted: false, problems: [createSettingsProblem('error', origin, text)] }
  }
}

async function readFileLayer(
  { source, path, dialect }: SettingsFile,
  folders: { cwd: string; home: string; projectRoot: string },
): Promise<SettingsLayer | undefined> {
  const readResult = await readSettingsFile(path, source, dialect)
  return (
    readResult && { ...readResult, origin: { source, file: path, name: path }, base: directoryBaseOf(source, folders) }
  )
}

function readOptionLayers(options: LoadSettingsOptions): readonly SettingsLayer[] {
  return (['session', 'command', 'cliArg'] as const).flatMap((source) => {
    const value = options[source]
    const origin = { source, name: source === 'cliArg' ? 'command line' : source }
    return value === undefined ? [] : [{ ...readSettingsValue(value, origin), origin, base: options.cwd }]
  })
}

function listFlagFiles({ flagSettings, cwd }: LoadSettingsOptions): readonly string[] {
  return typeof flagSettings !== 'string' || flagSettings.trimStart().startsWith('{')
    ? []
    : [resolve(cwd, flagSettings)]
}

async function readFlagLayer(options: LoadSettingsOptions): Promise<SettingsLayer | undefined> {
  const { flagSettings, cwd } = options
  if (flagSettings === undefined) return undefined
  const [file] = listFlagFiles(options)
  const origin = { source: 'flagSettings', ...(file !== undefined && { file }), name: file ?? '--settings' } as const
  return { ...(await readFlag(flagSettings, file)), origin, base: cwd }

  async function readFlag(flagValue: string | Settings, path: string | undefined): Promise<ReadSettings> {
    if (typeof flagValue !== 'string') return readSettingsValue(flagValue, origin)
    if (path === undefined) return readSettingsText(flagValue, origin)
    const missingFileProblem = createSettingsProblem(
      'error',
      origin,
      'file not found. --settings accepts the path of a file or JSON text.',
    )
    return (
      (await readSettingsFile(path, 'flagSettings')) ?? {
        settings: {},
        problems: [missingFileProblem],
        isComplete: false,
      }
    )
  }
}
