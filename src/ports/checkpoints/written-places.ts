import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { pathBytes, pathText } from '../../shared/path-bytes.js'
import { resolveLinks } from '../node-path-facts.js'
import { lookAt } from './look-at.js'

/** What a call that writes to a path may change. */
export interface WrittenPlaces {
  /** Single entries: the path itself, what it leads to where it is a link, and folders that will have to be made. */
  readonly entries: readonly string[]
  /** Folders in which anything may change. */
  readonly trees: readonly string[]
}

export async function writtenPlaces(path: string): Promise<WrittenPlaces> {
  if (!isAbsolute(path)) return { entries: [], trees: [] }
  const parent = await realFolder(dirname(path))
  const own = join(parent, basename(path))
  const leadsTo = lookAt(own)?.isSymbolicLink() ? await resolveLinks(own).catch(() => own) : own
  const places = [...new Set([own, leadsTo])]
  const trees = places.filter(isFolder)
  const entries = places.filter((place) => !trees.includes(place))
  return { entries: [...places.flatMap(missingFolders), ...entries], trees }
}

/** What leads nowhere is not written to either; were it, it would be by this name. */
async function realFolder(folder: string): Promise<string> {
  try {
    return pathText(realpathSync.native(pathBytes(folder), 'buffer'))
  } catch {
    return resolveLinks(folder).catch(() => folder)
  }
}

function isFolder(path: string): boolean {
  return lookAt(path)?.isDirectory() ?? false
}

function missingFolders(path: string): readonly string[] {
  const parent = dirname(path)
  if (parent === path || lookAt(parent) !== undefined) return []
  return [...missingFolders(parent), parent]
}
