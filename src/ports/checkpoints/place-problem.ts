import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../system/make-folder.js'

/** A disk that is full is not among them: it has a place, and may have room for the next call. */
const NO_PLACE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EROFS'])

/** Why nothing can ever be kept in a folder, which is made; undefined where it can, or where it has to be tried. */
export function placeProblem(folder: string): string | undefined {
  try {
    makeFolder(folder)
    accessSync(join(folder, '/'), constants.W_OK)
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return NO_PLACE.has(code) ? `${folder} cannot be written to (${code})` : undefined
  }
}
