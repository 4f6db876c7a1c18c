import { accessSync, constants, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { lookAt } from '../look-at.js'
import type { Mount } from '../mounts.js'

/** The number of links that Linux follows in one path. */
const MAX_LINKS = 40

interface GuardOptions {
  /** If set, the path cannot be created either. With a content, it is blocked by a file. */
  readonly bar?: { readonly content?: string }
  readonly isPlaceholder: (path: string) => boolean
  readonly linksLeft?: number
}

/** Returns the mounts that prevent a path from being written and, if it is barred, from being created. */
export function guardPath(path: string, options: GuardOptions): readonly Mount[] {
  const { bar, isPlaceholder, linksLeft = MAX_LINKS } = options
  const foundEntry = findEntry(path, isPlaceholder)
  if (foundEntry === undefined) return bar === undefined ? [] : barPath(path, bar, isPlaceholder)
  if (!foundEntry.isSymbolicLink()) return [{ path: realpathSync(path), kind: 'read-only' }]
  if (linksLeft === 0) return []
  const target = resolve(realpathSync(dirname(path)), readlinkSync(path))
  return [...guardPath(target, { ...options, linksLeft: linksLeft - 1 }), ...guardLink(path)]
}

/** Returns the entry at a path; undefined if there is none or only a placeholder of the sandbox. */
function findEntry(path: string, isPlaceholder: GuardOptions['isPlaceholder']) {
  const foundEntry = lookAt(path)
  return foundEntry !== undefined && !foundEntry.isSymbolicLink() && isPlaceholder(path) ? undefined : foundEntry
}

/** Returns the mounts for a link. A link cannot be a mount point, so in a git folder its parent is made read-only instead. */
function guardLink(path: string): readonly Mount[] {
  const folder = dirname(path)
  return basename(folder) === '.git' ? [{ path: realpathSync(folder), kind: 'read-only' }] : []
}

/** Returns the mount that blocks the outermost missing folder or file of the path. */
function barPath(
  path: string,
  bar: NonNullable<GuardOptions['bar']>,
  isPlaceholder: GuardOptions['isPlaceholder'],
): readonly Mount[] {
  const parent = dirname(path)
  if (parent === path) return []
  if (findEntry(parent, isPlaceholder) === undefined) return barPath(parent, {}, isPlaceholder)
  try {
    const folder = realpathSync(parent)
    accessSync(folder, constants.W_OK)
    if (lookAt(folder)?.isDirectory() !== true) return []
    const missingPath = join(folder, basename(path))
    return [
      bar.content === undefined
        ? { path: missingPath, kind: 'absent' }
        : { ...bar, path: missingPath, kind: 'fixed-file' },
    ]
  } catch {
    // The parent is a broken link or not accessible, so nothing can be created there.
    return []
  }
}
