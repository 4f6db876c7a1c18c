import { isAbsolute, join, resolve } from 'node:path'
import type { GitSetting } from '../../shell/git/parse-git-config.js'
import type { FoundRepository } from './find-repository.js'
import type { Settings } from './read-settings.js'
import type { WatchedFiles } from './watched-files.js'

/** The only hook that commands that read can run. */
const READ_HOOK = 'post-index-change'

/** The hooks of the repository that a command that reads may run. */
export async function readHooks(
  files: WatchedFiles,
  repository: FoundRepository,
  settings: Settings,
  home: string,
): Promise<readonly string[]> {
  const { own, user } = settings
  // A relative folder of the user's own lies in each repository.
  const named = [...own.filter(isHooksPath), ...user.filter(isHooksPath).filter(isRelative)].map(({ value }) => value)
  if (named.some((value) => value === null || /^(~[^/]|%|$)/.test(value))) return [READ_HOOK]
  const folders = [
    join(repository.commonFolder, 'hooks'),
    join(repository.gitFolder, 'hooks'),
    ...named.flatMap((value) => resolveAll(value ?? '', repository, home)),
  ]
  for (const folder of folders) {
    const hook = await files.stat(join(folder, READ_HOOK))
    if (hook !== null && !hook.isFolder && hook.isExecutable) return [READ_HOOK]
  }
  return []
}

function isHooksPath({ section, subsection, name }: GitSetting): boolean {
  return section === 'core' && subsection === '' && name === 'hookspath'
}

function isRelative({ value }: GitSetting): boolean {
  return value !== null && value !== '' && !isAbsolute(value) && !/^[~%]/.test(value)
}

function resolveAll(value: string, { root, gitFolder, prefix }: FoundRepository, home: string): readonly string[] {
  if (value.startsWith('~/')) return [join(home, value.slice(2))]
  const bases = root === null ? [gitFolder] : [root, gitFolder, join(root, prefix)]
  return bases.map((base) => resolve(base, value))
}
