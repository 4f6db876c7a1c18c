import { dirname, isAbsolute, join, resolve } from 'node:path'
import { type AttributeRule, parseAttributes } from '../../shell/git/attribute-rules.js'
import type { FoundRepository } from './find-repository.js'
import type { IndexEntry } from './git-index.js'
import type { Environment, Settings } from './read-settings.js'
import type { WatchedFiles } from './watched-files.js'

const MAX_FOLDERS = 2_000

/** The lines of all attributes files that git may read for a tracked file; 'unknown' where one cannot be read. */
export async function readAttributes(
  files: WatchedFiles,
  repository: FoundRepository,
  settings: Settings,
  entries: readonly IndexEntry[],
  environment: Environment,
): Promise<readonly AttributeRule[] | 'unknown'> {
  const { root } = repository
  // Without a working tree, or by a setting, the attributes come out of the objects.
  if (root === null || settings.own.some(({ section }) => section === 'attr')) return 'unknown'
  const folders = trackedFolders(entries)
  const named = namedFiles(repository, settings, environment)
  if (named === null || folders.size > MAX_FOLDERS) return 'unknown'
  const tracked = new Set(entries.map(({ path }) => path))
  const sources = [
    ...[...folders].map((folder) => ({
      path: join(root, folder, '.gitattributes'),
      folder,
      // Git takes the file out of the index where the working tree has none.
      isInIndex: tracked.has(`${folder}.gitattributes`),
    })),
    ...named.map((path) => ({ path, folder: '', isInIndex: false })),
  ]
  const rules: AttributeRule[] = []
  for (const { path, folder, isInIndex } of sources) {
    const found = await files.readText(path)
    if (found.is === 'found') rules.push(...parseAttributes(found.content, folder))
    else if (found.is === 'unreadable' || isInIndex) return 'unknown'
  }
  return rules
}

function trackedFolders(entries: readonly IndexEntry[]): ReadonlySet<string> {
  const folders = new Set([''])
  for (const { path } of entries) {
    for (let at = dirname(path); at !== '.' && at !== '/' && !folders.has(`${at}/`); at = dirname(at)) {
      folders.add(`${at}/`)
    }
  }
  return folders
}

function namedFiles(
  { commonFolder, gitFolder, root }: FoundRepository,
  settings: Settings,
  environment: Environment,
): readonly string[] | null {
  const home = environment.HOME ?? ''
  const configHome = environment.XDG_CONFIG_HOME || join(home, '.config')
  const paths = [
    join(commonFolder, 'info', 'attributes'),
    join(gitFolder, 'info', 'attributes'),
    join(configHome, 'git', 'attributes'),
    '/etc/gitattributes',
    '/usr/local/etc/gitattributes',
    '/opt/homebrew/etc/gitattributes',
  ]
  for (const { section, name, value } of [...settings.own, ...settings.user]) {
    if (section !== 'core' || name !== 'attributesfile') continue
    if (value === null || /^(~[^/]|%)/.test(value)) return null
    paths.push(value.startsWith('~/') ? join(home, value.slice(2)) : resolve(root ?? gitFolder, value))
  }
  return paths.filter((path) => isAbsolute(path))
}
