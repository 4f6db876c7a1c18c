import { accessSync, constants, lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Mount } from './mounts.js'

const MAX_LINKS = 8

/** What keeps a path from being written and, if it is barred, from being made. Empty where nothing has to be done. */
export function guardPath(
  path: string,
  { isBarred, linksLeft = MAX_LINKS }: { readonly isBarred: boolean; readonly linksLeft?: number },
): readonly Mount[] {
  const found = look(path)
  if (found === undefined) return isBarred ? bar(path) : []
  if (!found.isSymbolicLink()) return [{ path: realpathSync(path), kind: 'read-only' }]
  if (linksLeft === 0) return []
  const target = resolve(realpathSync(dirname(path)), readlinkSync(path))
  return [...guardPath(target, { isBarred, linksLeft: linksLeft - 1 }), ...keepLink(path)]
}

function look(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    // A file stands where a folder would have to be, or nobody here can look: nothing can be made there either.
    return undefined
  }
}

/** A link cannot be mounted upon; in a git folder, the folder around it stops instead. */
function keepLink(path: string): readonly Mount[] {
  const folder = dirname(path)
  return basename(folder) === '.git' ? [{ path: realpathSync(folder), kind: 'read-only' }] : []
}

/** Takes the place of the first part that is missing. */
function bar(path: string): readonly Mount[] {
  const parent = dirname(path)
  if (parent === path) return []
  if (look(parent) === undefined) return bar(parent)
  try {
    const folder = realpathSync(parent)
    accessSync(join(folder, '.'), constants.W_OK)
    return [{ path: join(folder, basename(path)), kind: 'absent' }]
  } catch {
    // The parent is no folder, a link to nowhere, or closed to us: nothing can be made there.
    return []
  }
}
