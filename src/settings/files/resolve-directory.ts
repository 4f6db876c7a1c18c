import { join, resolve } from 'node:path'
import type { RuleSource } from '../../contract/permission/context.js'

/** Returns the absolute path of a directory from a settings file: `~` is home, relative paths are resolved against `base`. */
export function resolveDirectory(path: string, { base, home }: { base: string; home: string }): string {
  if (path === '~') return resolve(home)
  if (/^~[/\\]/.test(path)) return join(resolve(home), path.slice(2))
  return resolve(base, path)
}

/** The folders that relative directories are resolved against, depending on their source. */
export interface DirectoryFolders {
  readonly cwd: string
  readonly home: string
  readonly projectRoot: string
}

/** Returns the folder that relative directories of a source are resolved against. */
export function directoryBaseOf(source: RuleSource, folders: DirectoryFolders): string {
  if (source === 'userSettings') return folders.home
  return source === 'projectSettings' || source === 'localSettings' ? folders.projectRoot : folders.cwd
}
