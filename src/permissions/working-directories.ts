import type { ToolPermissionContext } from '../contract/permission-context.js'
import { isWithin, type JudgedPath, toSlashes } from './judge-path.js'
import { normalisePath } from './normalise-path.js'
import type { Lookup } from './path-facts.js'
import { type Place, startDirOf } from './place.js'

/** Every spelling of the folders in which a call may work without being asked about the place. */
export async function workingDirectories(
  { additionalWorkingDirectories }: Pick<ToolPermissionContext, 'additionalWorkingDirectories'>,
  place: Place,
  lookup: Lookup,
): Promise<readonly string[]> {
  const start = startDirOf(place)
  const written = [start, ...additionalWorkingDirectories.map(({ path }) => expandHome(path, place))]
  const folders = await Promise.all(written.map((path) => spellingsOf(path, { ...place, cwd: start }, lookup)))
  return folders.flat()
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
