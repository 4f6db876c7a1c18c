import { join } from 'node:path'
import type { FoundRepository } from './find-repository.js'
import { readLooseObject } from './loose-objects.js'
import type { WatchedFiles } from './watched-files.js'

const MAX_OBJECTS = 4_000

/** Whether some commit or tag may be signed: all objects are looked through where none is packed, else it may be. */
export async function hasSignatures(files: WatchedFiles, { commonFolder }: FoundRepository): Promise<boolean> {
  const objects = join(commonFolder, 'objects')
  const packs = await files.list(join(objects, 'pack'))
  const alternates = await files.stat(join(objects, 'info', 'alternates'))
  if ((packs?.length ?? 0) > 0 || alternates !== null) return true
  const folders = await files.list(objects)
  if (folders === null) return true
  let left = MAX_OBJECTS
  for (const folder of folders.filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    const names = await files.list(join(objects, folder))
    left -= names?.length ?? left + 1
    if (names === null || left < 0) return true
    for (const name of names) if (await mayBeSigned(files, objects, folder + name)) return true
  }
  return false
}

async function mayBeSigned(files: WatchedFiles, objects: string, name: string): Promise<boolean> {
  const object = await readLooseObject(files, objects, name)
  if (object === null) return true
  if (object.type !== 'commit' && object.type !== 'tag') return false
  return /gpgsig|-----BEGIN/.test(object.content.toString('latin1'))
}
