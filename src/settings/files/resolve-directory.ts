import { join, resolve } from 'node:path'
import type { RuleSource } from '../../contract/permission/context.js'

/** The absolute path of a directory as settings write it: `~` is home, relative ones count from `base`. */
export function resolveDirectory(written: string, { base, home }: { base: string; home: string }): string {
  if (written === '~') return resolve(home)
  if (/^~[/\\]/.test(written)) return join(resolve(home), written.slice(2))
  return resolve(base, written)
}

/** Where relative directories count from, by who wrote them. */
export interface DirectoryFolders {
  readonly cwd: string
  readonly home: string
  readonly projectRoot: string
}

/** The folder that relative directories of a source count from. */
export function directoryBase(source: RuleSource, folders: DirectoryFolders): string {
  if (source === 'userSettings') return folders.home
  return source === 'projectSettings' || source === 'localSettings' ? folders.projectRoot : folders.cwd
}
