import { readlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { lookAt } from '../look-at.js'

/** A path without links, and the links that lead to it. */
export interface VisiblePath {
  readonly realPath: string
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
  const remainingNames = splitNames(path)
  let resolvedPrefix = '/'
  for (let name = remainingNames.shift(); name !== undefined; name = remainingNames.shift()) {
    const nextPath = join(resolvedPrefix, name)
    const foundEntry = lookAt(nextPath)
    if (foundEntry === undefined) return undefined
    if (foundEntry.isSymbolicLink()) {
      if (links.length === MAX_LINKS) return undefined
      const target = readlinkSync(nextPath)
      links.push({ path: nextPath, target })
      remainingNames.unshift(...splitNames(resolve(resolvedPrefix, target)))
      resolvedPrefix = '/'
    } else resolvedPrefix = nextPath
  }
  return { realPath: resolvedPrefix, links }
}

function splitNames(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.')
}

/** Returns the folders above a path, except the root. */
export function listFoldersAbove(path: string): readonly string[] {
  const folder = dirname(path)
  return folder === path || folder === '/' ? [] : [...listFoldersAbove(folder), folder]
}
