import { lstatSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { pathBytes } from '../../shared/path-bytes.js'
import { resolveLinks } from '../node-path-facts.js'

/** What a call that writes to a path may change. */
export interface WrittenPlaces {
  /** Single entries: the path itself, what it leads to where it is a link, and folders that will have to be made. */
  readonly entries: readonly string[]
  /** Folders in which anything may change. */
  readonly trees: readonly string[]
}

/** Named things, such as `todo:list`, are no files and have no place. */
export async function writtenPlaces(path: string): Promise<WrittenPlaces> {
  if (!isAbsolute(path)) return { entries: [], trees: [] }
  const parent = await resolveLinks(dirname(path))
  const own = join(parent, basename(path))
  const leadsTo = await resolveLinks(path).catch(() => own)
  const places = [...new Set([own, leadsTo])]
  const trees = places.filter(isFolder)
  const entries = places.filter((place) => !trees.includes(place))
  return { entries: [...places.flatMap(missingFolders), ...entries], trees }
}

function isFolder(path: string): boolean {
  return lstatSync(pathBytes(path), { throwIfNoEntry: false })?.isDirectory() ?? false
}

function missingFolders(path: string): readonly string[] {
  const parent = dirname(path)
  if (parent === path || lstatSync(pathBytes(parent), { throwIfNoEntry: false }) !== undefined) return []
  return [...missingFolders(parent), parent]
}
