import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs'
import { FileError } from '../../contract/ports/file-error.js'
import type { ExpectedContent } from '../../contract/ports/files.js'
import { hasContent } from './has-content.js'
import { isStill } from './settled-content.js'

/** Looks at what stands at a place and sees that it is what is expected; gives what tells whether it still stands there. */
export async function knowFile(
  place: string | Buffer,
  path: string,
  expected: ExpectedContent | undefined,
): Promise<BigIntStats | undefined> {
  const found = lookAt(place)
  if (found === undefined) {
    if (expected === undefined || expected === 'absent') return undefined
    throw new FileError('missing', path, `${path} does not exist any more.`)
  }
  if (found.isDirectory()) throw new FileError('is_folder', path, `${path} is a folder, not a file.`)
  if (!found.isFile()) throw new FileError('not_a_file', path, `${path} is no regular file.`)
  if (expected === 'absent') throw new FileError('exists', path, `${path} exists already.`)
  if (expected === undefined) return found
  const descriptor = openSync(place, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const opened = fstatSync(descriptor, { bigint: true })
    const isKnown = 'content' in expected && isStill(expected.content, opened)
    if (!isKnown && !(await hasContent(descriptor, expected))) throw changedError(path)
    return opened
  } finally {
    closeSync(descriptor)
  }
}

/** Undefined where nothing is there; nothing happens between this and what is done next. */
export function lookAt(place: string | Buffer): BigIntStats | undefined {
  return lstatSync(place, { bigint: true, throwIfNoEntry: false })
}

/**
 * The names that a file has besides the one at which it is replaced. They are left behind, and told, because writing in
 * place to keep them would not be whole: who looks, or a stop halfway, would find a part of the new content.
 */
export function otherNames(former: BigIntStats | undefined): { readonly otherNames?: number } {
  return former === undefined || former.nlink <= 1n ? {} : { otherNames: Number(former.nlink) - 1 }
}

export function changedError(path: string): FileError {
  return new FileError('changed', path, `${path} was changed meanwhile; read it again before changing it.`)
}
