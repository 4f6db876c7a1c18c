import type { ToolPermissionContext } from '../../contract/permission/context.js'
import { isWithin, type JudgedPath, type Lookup, toSlashes } from './judge-path.js'
import { normalisePath } from './normalise-path.js'
import { type Place, startDirOf } from './place.js'

/** Returns the working directories, each as written and with links resolved. */
export async function findWorkingDirectories(
  { additionalWorkingDirectories }: Pick<ToolPermissionContext, 'additionalWorkingDirectories'>,
  place: Place,
  lookup: Lookup,
): Promise<readonly string[]> {
  const startPlace = { ...place, cwd: startDirOf(place) }
  const directories = listWorkingDirectories({ additionalWorkingDirectories }, place)
  const folders = await Promise.all(directories.map((path) => spellingsOf(path, startPlace, lookup)))
  return folders.flat()
}

/** Returns the working directories as written, starting with the start folder. */
export function listWorkingDirectories(
  { additionalWorkingDirectories }: Pick<ToolPermissionContext, 'additionalWorkingDirectories'>,
  place: Place,
): readonly string[] {
  return [startDirOf(place), ...additionalWorkingDirectories.map(({ path }) => expandHome(path, place))]
}

/** Returns a folder as written and with links resolved; empty if its path cannot be looked up. */
export async function spellingsOf(folder: string, place: Place, lookup: Lookup): Promise<readonly string[]> {
  const { path, problem } = normalisePath(folder, place)
  if (problem !== undefined) return []
  const look = await lookup(path)
  if (look === undefined) return [path]
  const realPath = toSlashes(look.realPath, place)
  return realPath === path ? [path] : [path, realPath]
}

/** Whether a path is inside one of the folders. For a link, both the link and its target must be. */
export function isInside({ forms, isCaseInsensitive, problem }: JudgedPath, folders: readonly string[]): boolean {
  if (problem !== undefined) return false
  return forms.every((form) => folders.some((folder) => isWithin(form, folder, isCaseInsensitive)))
}

function expandHome(path: string, { homeDir }: Place): string {
  return path === '~' || path.startsWith('~/') ? homeDir + path.slice(1) : path
}
