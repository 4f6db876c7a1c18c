import { accessSync, constants, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { lookAt } from './look-at.js'
import type { Mount } from './mounts.js'

const MAX_LINKS = 8

interface GuardOptions {
  readonly isBarred: boolean
  readonly isPlaceholder: (path: string) => boolean
  readonly linksLeft?: number
}

/** What keeps a path from being written and, if it is barred, from being made. Empty where nothing has to be done. */
export function guardPath(path: string, options: GuardOptions): readonly Mount[] {
  const { isBarred, isPlaceholder, linksLeft = MAX_LINKS } = options
  const found = look(path, isPlaceholder)
  if (found === undefined) return isBarred ? bar(path, isPlaceholder) : []
  if (!found.isSymbolicLink()) return [{ path: realpathSync(path), kind: 'read-only' }]
  if (linksLeft === 0) return []
  const target = resolve(realpathSync(dirname(path)), readlinkSync(path))
  return [...guardPath(target, { ...options, linksLeft: linksLeft - 1 }), ...keepLink(path)]
}

function look(path: string, isPlaceholder: GuardOptions['isPlaceholder']) {
  const found = lookAt(path)
  return found?.isDirectory() && isPlaceholder(path) ? undefined : found
}

/** A link cannot be mounted upon; in a git folder, the folder around it stops instead. */
function keepLink(path: string): readonly Mount[] {
  const folder = dirname(path)
  return basename(folder) === '.git' ? [{ path: realpathSync(folder), kind: 'read-only' }] : []
}

/** Takes the place of the first part that is missing. */
function bar(path: string, isPlaceholder: GuardOptions['isPlaceholder']): readonly Mount[] {
  const parent = dirname(path)
  if (parent === path) return []
  if (look(parent, isPlaceholder) === undefined) return bar(parent, isPlaceholder)
  try {
    const folder = realpathSync(parent)
    accessSync(folder, constants.W_OK)
    if (lookAt(folder)?.isDirectory() !== true) return []
    return [{ path: join(folder, basename(path)), kind: 'absent' }]
  } catch {
    // The parent is a link to nowhere, or closed to us: nothing can be made there.
    return []
  }
}
