import { lstatSync, realpathSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { pathBytes, pathText } from '../../shared/path-bytes.js'
import { hasCode } from '../files/file-failure.js'

/** What is at a real path; undefined where nothing is, or where the way to it has come to be another. */
export function lookAt(path: string): Stats | undefined {
  try {
    const stats = lstatSync(pathBytes(path), { throwIfNoEntry: false })
    return stats === undefined || isReal(dirname(path)) ? stats : undefined
  } catch (error) {
    if (hasCode(error, 'ENOTDIR', 'ELOOP', 'ENOENT')) return undefined
    throw error
  }
}

/** What lies behind a link has a name of its own, and is not to be taken for what was there before the link. */
export function isReal(folder: string): boolean {
  return pathText(realpathSync.native(pathBytes(folder), 'buffer')) === folder
}
