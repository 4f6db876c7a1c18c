import { dirname, isAbsolute, join, resolve } from 'node:path'
import { isPathInside } from '../../shared/path-containment.js'
import { type GitSetting, parseGitConfig } from '../../shell/git/parse-git-config.js'
import type { FoundRepository } from './find-repository.js'
import type { RecordedFiles } from './recorded-files.js'

export type Variables = Readonly<Record<string, string | undefined>>

export interface GitSettings {
  /** Settings of the repository itself. */
  readonly repositorySettings: readonly GitSetting[]
  /** Settings of the user, the system and the environment. */
  readonly userSettings: readonly GitSetting[]
  /** Why the settings cannot be analysed; null if they can. */
  readonly problem: string | null
}

const MAX_INCLUDE_DEPTH = 10
const MAX_FILES = 100
const SYSTEM_FILES = ['/etc/gitconfig', '/usr/local/etc/gitconfig', '/opt/homebrew/etc/gitconfig']

/**
 * Reads all settings that git may read. Files that the user's settings include are read whether or not the condition of the
 * include holds. A repository that includes other files is too unusual to analyse.
 */
export async function readSettings(
  files: RecordedFiles,
  repository: FoundRepository,
  environment: Variables,
): Promise<GitSettings> {
  const home = environment.HOME ?? ''
  const draft: SettingsDraft = {
    files,
    home,
    root: repository.root,
    repositorySettings: [],
    userSettings: [],
    problem: null,
    fileCount: 0,
  }
  await readOwnFile(draft, join(repository.commonFolder, 'config'))
  await readOwnFile(draft, join(repository.gitFolder, 'config.worktree'))
  for (const path of listUserFiles(environment, home)) await readUserFile(draft, path, 0)
  draft.userSettings.push(...readEnvironmentSettings(environment))
  return draft
}

interface SettingsDraft {
  readonly files: RecordedFiles
  readonly home: string
  readonly root: string | null
  readonly repositorySettings: GitSetting[]
  readonly userSettings: GitSetting[]
  problem: string | null
  fileCount: number
}

async function readOwnFile(draft: SettingsDraft, path: string): Promise<void> {
  const settings = await parseFile(draft, path)
  draft.repositorySettings.push(...settings)
  if (settings.some(isInclude)) draft.problem ??= `${path}, which includes other files`
}

async function readUserFile(draft: SettingsDraft, path: string, depth: number): Promise<void> {
  draft.fileCount += 1
  if (depth > MAX_INCLUDE_DEPTH || draft.fileCount > MAX_FILES) {
    draft.problem ??= 'a git configuration that includes too many files'
    return
  }
  // A file inside the repository belongs to the repository, whichever file includes it.
  if (draft.root !== null && isPathInside(path, draft.root)) return readOwnFile(draft, path)
  const settings = await parseFile(draft, path)
  draft.userSettings.push(...settings)
  for (const setting of settings.filter(isInclude)) {
    const target = resolveIncludedPath(setting.value ?? '', path, draft.home)
    if (target === null) draft.problem ??= `${path}, which includes a file by an unsupported path`
    else await readUserFile(draft, target, depth + 1)
  }
}

async function parseFile(draft: SettingsDraft, path: string): Promise<readonly GitSetting[]> {
  const settingsFile = await draft.files.readText(path)
  if (settingsFile.kind === 'absent') return []
  const config =
    settingsFile.kind === 'found' ? parseGitConfig(settingsFile.content) : { settings: [], isMalformed: true }
  if (config.isMalformed) draft.problem ??= `${path}, which cannot be read as git configuration`
  return config.settings
}

function isInclude({ section, name }: GitSetting): boolean {
  return (section === 'include' || section === 'includeif') && name === 'path'
}

function resolveIncludedPath(value: string, from: string, home: string): string | null {
  if (value.startsWith('~/') && home !== '') return join(home, value.slice(2))
  if (value === '' || value.startsWith('~') || value.startsWith('%(')) return null
  return isAbsolute(value) ? value : resolve(dirname(from), value)
}

function listUserFiles(environment: Variables, home: string): readonly string[] {
  const system = environment.GIT_CONFIG_SYSTEM === undefined ? SYSTEM_FILES : [environment.GIT_CONFIG_SYSTEM]
  if (environment.GIT_CONFIG_GLOBAL !== undefined)
    return [...system, environment.GIT_CONFIG_GLOBAL].filter(isConfigFile)
  const configHome = environment.XDG_CONFIG_HOME || join(home, '.config')
  return [...system, join(configHome, 'git', 'config'), join(home, '.gitconfig')].filter(isConfigFile)
}

function isConfigFile(path: string): boolean {
  return isAbsolute(path) && path !== '/dev/null'
}

/** Reads the settings in the numbered variables `GIT_CONFIG_KEY_0`, `GIT_CONFIG_VALUE_0` and so on. */
function readEnvironmentSettings(environment: Variables): readonly GitSetting[] {
  const count = Math.min(Number(environment.GIT_CONFIG_COUNT ?? 0) || 0, 1000)
  return Array.from({ length: count }, (_, index) => {
    const key = environment[`GIT_CONFIG_KEY_${index}`] ?? ''
    const firstDot = key.indexOf('.')
    const lastDot = key.lastIndexOf('.')
    return {
      section: key.slice(0, Math.max(firstDot, 0)).toLowerCase(),
      subsection: key.slice(firstDot + 1, Math.max(lastDot, firstDot + 1)),
      name: key.slice(lastDot + 1).toLowerCase(),
      value: environment[`GIT_CONFIG_VALUE_${index}`] ?? '',
    }
  })
}

/** Variables that select another repository, other settings or other programs, or that make git write a trace file. */
const REDIRECTING_VARIABLES = new RegExp(
  `^GIT_(${[
    'DIR',
    'WORK_TREE',
    'COMMON_DIR',
    'INDEX_FILE',
    'OBJECT_DIRECTORY',
    'ALTERNATE_OBJECT_DIRECTORIES',
    'QUARANTINE_PATH',
    'NAMESPACE',
    'IMPLICIT_WORK_TREE',
    'SUPER_PREFIX',
    'INTERNAL_.*',
    'CONFIG',
    'CONFIG_PARAMETERS',
    'ATTR_SOURCE',
    'SHALLOW_FILE',
    'GRAFT_FILE',
    'REPLACE_REF_BASE',
    'EXEC_PATH',
    'EXTERNAL_DIFF',
    'TRACE.*',
    'TEST_.*',
    '.*FSMONITOR.*',
    'REDIRECT_.*',
  ].join('|')})$`,
)

/** Returns the name of a variable that makes the analysis of a repository invalid, or null. */
export function findRedirectingVariable(environment: Variables): string | null {
  const isSet = (name: string) => environment[name] !== undefined && environment[name] !== ''
  return Object.keys(environment).find((name) => REDIRECTING_VARIABLES.test(name) && isSet(name)) ?? null
}
