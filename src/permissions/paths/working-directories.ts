import type { ToolPermissionContext } from '../../contract/permission/context.js'
import { isWithin, type JudgedPath, type Lookup, toSlashes } from './judge-path.js'
import { normalisePath, type PathContext, startDirOf } from './normalise-path.js'

/** Returns the working directories, each as written and with links resolved. */
export async function findWorkingDirectories(
  { additionalWorkingDirectories }: Pick<ToolPermissionContext, 'additionalWorkingDirectories'>,
  pathContext: PathContext,
  lookup: Lookup,
): Promise<readonly string[]> {
  const startContext = { ...pathContext, cwd: startDirOf(pathContext) }
  const directories = listWorkingDirectories({ additionalWorkingDirectories }, pathContext)
  const folders = await Promise.all(directories.map((path) => spellingsOf(path, startContext, lookup)))
  return folders.flat()
}

/** Returns the working directories as written, starting with the start folder. */
export function listWorkingDirectories(
  { additionalWorkingDirectories }: Pick<ToolPermissionContext, 'additionalWorkingDirectories'>,
  pathContext: PathContext,
): readonly string[] {
  return [startDirOf(pathContext), ...additionalWorkingDirectories.map(({ path }) => expandHome(path, pathContext))]
}

/** Returns a folder as written and with links resolved; empty if its path cannot be looked up. */
export async function spellingsOf(
  folder: string,
  pathContext: PathContext,
  lookup: Lookup,
): Promise<readonly string[]> {
  const { path, problem } = normalisePath(folder, pathContext)
  if (problem !== undefined) return []
  const pathInfo = await lookup(path)
  if (pathInfo === undefined) return [path]
  const realPath = toSlashes(pathInfo.realPath, pathContext)
  return realPath === path ? [path] : [path, realPath]
}

/** Whether a path is inside one of the folders. For a link, both the link and its target must be. */
export function isInside({ forms, isCaseInsensitive, problem }: JudgedPath, folders: readonly string[]): boolean {
  if (problem !== undefined) return false
  return forms.every((form) => folders.some((folder) => isWithin(form, folder, isCaseInsensitive)))
}

function expandHome(path: string, { homeDir }: PathContext): string {
  return path === '~' || path.startsWith('~/') ? homeDir + path.slice(1) : path
}
