import { basename, dirname, join } from 'node:path'
import { resolveLinks } from '../node-path-facts.js'
import { type FolderPlace, openFolder } from './folder-place.js'

/** An entry of a folder held open; where the entry is a link, the link itself is meant. */
export interface EntryPlace {
  readonly folder: FolderPlace
  readonly name: string
  readonly place: string | Buffer
  /** The real path of the folder, and the name in it. */
  readonly path: string
}

export async function openEntry(path: string, { make = false } = {}): Promise<EntryPlace> {
  const folder = await openFolder(await resolveLinks(dirname(path)), { make })
  const name = basename(path)
  return { folder, name, place: folder.at(name), path: join(folder.path, name) }
}
