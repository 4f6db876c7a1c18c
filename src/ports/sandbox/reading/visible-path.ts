import { readlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { lookAt } from '../look-at.js'

/** A path without links, and the links that lead to it. */
export interface VisiblePath {
  readonly real: string
  /** The links as they must appear in the sandbox, so that the path can be used as written. */
  readonly links: readonly VisibleLink[]
}

interface VisibleLink {
  /** The path of the link itself. No folder above it is a link. */
  readonly path: string
  readonly target: string
}

const MAX_LINKS = 40

/** Resolves the links in an absolute path; undefined if the path does not exist. */
export function resolveVisible(path: string): VisiblePath | undefined {
  const links: VisibleLink[] = []
  const rest = namesIn(path)
  let real = '/'
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    const next = join(real, name)
    const found = lookAt(next)
    if (found === undefined) return undefined
    if (found.isSymbolicLink()) {
      if (links.length === MAX_LINKS) return undefined
      const target = readlinkSync(next)
      links.push({ path: next, target })
      rest.unshift(...namesIn(resolve(real, target)))
      real = '/'
    } else real = next
  }
  return { real, links }
}

function namesIn(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.')
}

/** Returns the folders above a path, except the root. */
export function foldersAbove(path: string): readonly string[] {
  const folder = dirname(path)
  return folder === path || folder === '/' ? [] : [...foldersAbove(folder), folder]
}
