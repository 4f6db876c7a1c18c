import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { describeRestriction, type FindReadRestriction } from '../permissions/rules/find-read-restriction.js'
import { codeOf } from '../settings/files/read-text-file.js'
import { toPathBytes, toPathText } from '../shared/path-bytes.js'
import { isPathInside } from '../shared/path-containment.js'
import { findOpenedPath } from '../system/opened-path.js'

export interface JudgedFileOptions {
  /** The real path of the folder that must contain the file; undefined if it may be anywhere. */
  readonly boundary: string | undefined
  /** Returns the rule that forbids reading a file without approval. */
  readonly findRestriction?: FindReadRestriction | undefined
  /** Whether a file may be read, by its real path. Default: every file. */
  readonly accepts?: (realFile: string) => Promise<boolean>
}

/** What `readJudgedFile` read, or why it did not. A `reason` continues a sentence that starts with the path. */
export type JudgedFile<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'absent' }
  | { readonly kind: 'outside' }
  | { readonly kind: 'restricted'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }

/**
 * Reads a file whose content is sent to the model without a call, and that a project may control. The judged file is the one
 * that is read, even if another process replaces the file or one of its folders by a link meanwhile.
 */
export async function readJudgedFile<T>(
  path: string,
  { boundary, findRestriction, accepts = async () => true }: JudgedFileOptions,
  read: (handle: FileHandle) => Promise<T>,
): Promise<JudgedFile<T>> {
  try {
    const realFile = toPathText(await realpath(path, 'buffer'))
    if (boundary !== undefined && !isPathInside(realFile, toPathText(Buffer.from(boundary)))) return { kind: 'outside' }
    if (!(await accepts(realFile))) return { kind: 'failed', reason: 'has a type or an owner that is not accepted' }
    const restriction =
      (await describeRestriction(path, findRestriction)) ?? (await describeRestriction(realFile, findRestriction))
    return restriction === undefined ? await readRealFile(realFile, read) : { kind: 'restricted', reason: restriction }
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' }
    return { kind: 'failed', reason: code === 'ELOOP' ? WAS_REPLACED : `cannot be read (${code})` }
  }
}

const WAS_REPLACED = 'was replaced while it was read'

async function readRealFile<T>(realFile: string, read: (handle: FileHandle) => Promise<T>): Promise<JudgedFile<T>> {
  // Opening a named pipe must not block.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)
  const handle = await open(toPathBytes(realFile), flags)
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) return { kind: 'failed', reason: 'is not a regular file' }
    if (findOpenedPath(handle.fd, stats, realFile) !== realFile) return { kind: 'failed', reason: WAS_REPLACED }
    return { kind: 'read', value: await read(handle) }
  } finally {
    await handle.close()
  }
}
