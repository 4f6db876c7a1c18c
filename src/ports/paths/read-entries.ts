import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { toPathBytes } from '../../shared/path-bytes.js'

/** Replaces bytes that are not UTF-8, so a path that contains it does not lead to the entry. */
const REPLACEMENT_CHARACTER = '\uFFFD'

/**
 * Reads the entries of a folder; empty if there is no such folder, undefined if it cannot be read, has too many entries or
 * contains a name that is not UTF-8, because an entry could not be examined under such a name.
 */
export async function readEntries(
  folder: string,
  maxEntries = Number.POSITIVE_INFINITY,
): Promise<readonly Dirent[] | undefined> {
  try {
    const entries = await readdir(toPathBytes(folder), { withFileTypes: true, encoding: 'utf8' })
    return entries.length <= maxEntries && entries.every(hasExactName) ? entries : undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? [] : undefined
  }
}

function hasExactName({ name }: Dirent): boolean {
  return !name.includes(REPLACEMENT_CHARACTER)
}
