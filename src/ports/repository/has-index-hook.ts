import { isAbsolute, join, resolve } from 'node:path'
import type { GitSetting } from '../../shell/git/parse-git-config.js'
import type { FoundRepository } from './find-repository.js'
import type { GitSettings } from './read-settings.js'
import type { RecordedFiles } from './recorded-files.js'

/** The only hook that read-only git commands trigger. */
const HOOK_NAME = 'post-index-change'

/**
 * Whether git would run a `post-index-change` hook of the repository. The folders of `core.hooksPath` are searched too,
 * because hook managers such as husky set it.
 */
export function hasIndexHook(
  files: RecordedFiles,
  repository: FoundRepository,
  settings: GitSettings,
  home: string,
): boolean {
  const { repositorySettings, userSettings } = settings
  // A relative path in the user's settings is relative to a folder in each repository.
  const paths = [...repositorySettings.filter(isHooksPath), ...userSettings.filter(isHooksPath).filter(isRelative)].map(
    ({ value }) => value,
  )
  if (paths.some((path) => path === null || /^(~[^/]|%|$)/.test(path))) return true
  const folders = [
    join(repository.commonFolder, 'hooks'),
    join(repository.gitFolder, 'hooks'),
    ...paths.flatMap((path) => resolveFolders(path ?? '', repository, home)),
  ]
  for (const folder of folders) {
    const hook = files.stat(join(folder, HOOK_NAME))
    if (hook !== null && !hook.isFolder && hook.isExecutable) return true
  }
  return false
}

function isHooksPath({ section, subsection, name }: GitSetting): boolean {
  return section === 'core' && subsection === '' && name === 'hookspath'
}

function isRelative({ value }: GitSetting): boolean {
  return value !== null && value !== '' && !isAbsolute(value) && !/^[~%]/.test(value)
}

/**
 * Returns the folders that a hooks path may mean. Git resolves a relative path against the folder in which the hook runs,
 * which depends on the command.
 */
function resolveFolders(path: string, { root, gitFolder, prefix }: FoundRepository, home: string): readonly string[] {
  if (path.startsWith('~/')) return [join(home, path.slice(2))]
  const baseFolders = root === null ? [gitFolder] : [root, gitFolder, join(root, prefix)]
  return baseFolders.map((baseFolder) => resolve(baseFolder, path))
}
