import type { JudgedPath } from './judge-path.js'
import { joinPath, splitPath } from './normalise-path.js'
import type { Lookup } from './path-facts.js'
import { PROTECTED_FOLDERS } from './protected-files.js'

/** Looks into a folder that is to be written, moved or deleted for protected ones that would go with it. */
export async function withHeldFolder(path: JudgedPath, lookup: Lookup): Promise<JudgedPath> {
  if (!path.isFolder || path.problem !== undefined) return path
  for (const form of path.forms) {
    const looks = PROTECTED_FOLDERS.map((name) => lookup(joinPath([...splitPath(form), ...name.split('/')])))
    const found = (await Promise.all(looks)).findIndex((look) => look?.isFolder === true)
    if (found !== -1) return { ...path, holds: PROTECTED_FOLDERS[found] ?? '' }
  }
  return path
}
