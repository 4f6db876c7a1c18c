import type { ToolPermissionContext } from '../../contract/permission/context.js'
import { isWithin, type JudgedPath, type Lookup, toSlashes } from './judge-path.js'
import { normalisePath } from './normalise-path.js'
import { type Place, startDirOf } from './place.js'

/** Every spelling of the folders in which a call may work without being asked about the place. */
export async function workingDirectories(
  { additionalWorkingDirectories }: Pick<ToolPermissionContext, 'additionalWorkingDirectories'>,
  place: Place,
  lookup: Lookup,
): Promise<readonly string[]> {
  const here = { ...place, cwd: startDirOf(place) }
  const written = writtenDirectories({ additionalWorkingDirectories }, place)
  const folders = await Promise.all(written.map((path) => spellingsOf(path, here, lookup)))
  return folders.flat()
}

/** The same folders as they are written, the one it all starts in first. */
export function writtenDirectories(
  { additionalWorkingDirectories }: Pick<ToolPermissionContext, 'additionalWorkingDirectories'>,
  place: Place,
): readonly string[] {
  return [startDirOf(place), ...additionalWorkingDirectories.map(({ path }) => expandHome(path, place))]
}

/** A folder as text and with links resolved; none where it cannot be looked at. */
export async function spellingsOf(written: string, place: Place, lookup: Lookup): Promise<readonly string[]> {
  const { path, problem } = normalisePath(written, place)
  if (problem !== undefined) return []
  const look = await lookup(path)
  if (look === undefined) return [path]
  const real = toSlashes(look.realPath, place)
  return real === path ? [path] : [path, real]
}

/** The link and its target must both lie inside. */
export function isInside({ forms, isCaseInsensitive, problem }: JudgedPath, folders: readonly string[]): boolean {
  if (problem !== undefined) return false
  return forms.every((form) => folders.some((folder) => isWithin(form, folder, isCaseInsensitive)))
}

function expandHome(path: string, { homeDir }: Place): string {
  return path === '~' || path.startsWith('~/') ? homeDir + path.slice(1) : path
}
