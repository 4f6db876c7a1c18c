import { dirname, isAbsolute, join, resolve } from 'node:path'
import { isPathInside } from '../../shared/path-containment.js'
import { type GitSetting, parseGitConfig } from '../../shell/git/parse-git-config.js'
import type { FoundRepository } from './find-repository.js'
import type { WatchedFiles } from './watched-files.js'

export type Environment = Readonly<Record<string, string | undefined>>

export interface Settings {
  readonly own: readonly GitSetting[]
  readonly user: readonly GitSetting[]
  readonly doubt: string | null
}

const MAX_DEPTH = 10
const MAX_FILES = 100
const SYSTEM_FILES = ['/etc/gitconfig', '/usr/local/etc/gitconfig', '/opt/homebrew/etc/gitconfig']

/** All settings that git may read, its includes followed whether their condition holds or not. */
export async function readSettings(
  files: WatchedFiles,
  repository: FoundRepository,
  environment: Environment,
): Promise<Settings> {
  const home = environment.HOME ?? ''
  const draft: Draft = { files, home, root: repository.root, own: [], user: [], doubt: null, count: 0 }
  await readFile(draft, join(repository.commonFolder, 'config'), true, 0)
  await readFile(draft, join(repository.gitFolder, 'config.worktree'), true, 0)
  for (const path of userFiles(environment, home)) await readFile(draft, path, false, 0)
  draft.user.push(...environmentSettings(environment))
  return draft
}

interface Draft {
  readonly files: WatchedFiles
  readonly home: string
  readonly root: string | null
  readonly own: GitSetting[]
  readonly user: GitSetting[]
  doubt: string | null
  count: number
}

async function readFile(draft: Draft, path: string, isOwn: boolean, depth: number): Promise<void> {
  draft.count += 1
  if (depth > MAX_DEPTH || draft.count > MAX_FILES) {
    draft.doubt ??= 'the git configuration includes too many files'
    return
  }
  const found = await draft.files.readText(path)
  if (found.is === 'absent') return
  const config = found.is === 'found' ? parseGitConfig(found.content) : { settings: [], isOdd: true }
  if (config.isOdd) draft.doubt ??= `${path} cannot be read as git configuration`
  const list = isOwn ? draft.own : draft.user
  list.push(...config.settings)
  for (const setting of config.settings) {
    if (!isInclude(setting)) continue
    const target = includedPath(setting.value ?? '', path, draft.home)
    if (target === null) draft.doubt ??= `${path} includes a file that cannot be told`
    else await readFile(draft, target, isOwn || (draft.root !== null && isPathInside(target, draft.root)), depth + 1)
  }
}

function isInclude({ section, name }: GitSetting): boolean {
  return (section === 'include' || section === 'includeif') && name === 'path'
}

function includedPath(value: string, from: string, home: string): string | null {
  if (value.startsWith('~/') && home !== '') return join(home, value.slice(2))
  if (value === '' || value.startsWith('~') || value.startsWith('%(')) return null
  return isAbsolute(value) ? value : resolve(dirname(from), value)
}

function userFiles(environment: Environment, home: string): readonly string[] {
  const system = environment.GIT_CONFIG_SYSTEM === undefined ? SYSTEM_FILES : [environment.GIT_CONFIG_SYSTEM]
  if (environment.GIT_CONFIG_GLOBAL !== undefined) return [...system, environment.GIT_CONFIG_GLOBAL].filter(isFileName)
  const configHome = environment.XDG_CONFIG_HOME || join(home, '.config')
  return [...system, join(configHome, 'git', 'config'), join(home, '.gitconfig')].filter(isFileName)
}

function isFileName(path: string): boolean {
  return isAbsolute(path) && path !== '/dev/null'
}

/** Settings that the environment carries in numbered variables. */
function environmentSettings(environment: Environment): readonly GitSetting[] {
  const count = Math.min(Number(environment.GIT_CONFIG_COUNT ?? 0) || 0, 1000)
  return Array.from({ length: count }, (_, index) => {
    const key = environment[`GIT_CONFIG_KEY_${index}`] ?? ''
    const first = key.indexOf('.')
    const last = key.lastIndexOf('.')
    return {
      section: key.slice(0, Math.max(first, 0)).toLowerCase(),
      subsection: key.slice(first + 1, Math.max(last, first + 1)),
      name: key.slice(last + 1).toLowerCase(),
      value: environment[`GIT_CONFIG_VALUE_${index}`] ?? '',
    }
  })
}
