import { createHash, randomBytes } from 'node:crypto'
import { close, ftruncate, openSync, write, writeSync } from 'node:fs'
import { lstat, readFile, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { makeFolder } from '../system/make-folder.js'

/** A new file with positioned writes, so that writes may complete in any order. */
export interface ResultFile {
  readonly path: string
  write(bytes: Uint8Array, position: number): Promise<void>
  /** Synchronous `write`. */
  writeNow(bytes: Uint8Array, position: number): void
  truncate(length: number): Promise<void>
  close(): Promise<void>
}

/** Creates a file at the first free path of an id, readable only by this user. Throws if that fails. */
export function openResultFile(directory: string, id: string): ResultFile {
  for (const path of generateResultPaths(directory, id)) {
    const file = createResultFile(path)
    if (file !== undefined) return file
  }
  throw new Error(`all candidate file names for ${toSafeFileName(id)} are taken`)
}

/** Creates a file; returns undefined if the path exists, even as a link. */
export function createResultFile(path: string): ResultFile | undefined {
  makeFolder(dirname(path))
  try {
    return wrapDescriptor(path, openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
    throw error
  }
}

const writeAt = promisify(write)
const truncateTo = promisify(ftruncate)
const closeFile = promisify(close)

function wrapDescriptor(path: string, fd: number): ResultFile {
  return {
    path,
    async write(bytes, position) {
      for (let writtenBytes = 0; writtenBytes < bytes.length; ) {
        const { bytesWritten } = await writeAt(
          fd,
          bytes,
          writtenBytes,
          bytes.length - writtenBytes,
          position + writtenBytes,
        )
        writtenBytes += bytesWritten
      }
    },
    writeNow(bytes, position) {
      for (let writtenBytes = 0; writtenBytes < bytes.length; ) {
        writtenBytes += writeSync(fd, bytes, writtenBytes, bytes.length - writtenBytes, position + writtenBytes)
      }
    },
    truncate: (length) => truncateTo(fd, length),
    close: () => closeFile(fd),
  }
}

/** Writes a text to the file of its id and returns the path. The same text and id yield the same path. */
export async function writeResultFile(
  directory: string,
  id: string,
  text: string,
  create: (path: string) => ResultFile | undefined = createResultFile,
): Promise<string> {
  const bytes = Buffer.from(text)
  const computeDigest = () => createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  for (const path of generateResultPaths(directory, id, computeDigest)) {
    const file = create(path)
    if (file !== undefined) {
      await writeAndClose(file, bytes)
      return path
    }
    if (await hasContent(path, bytes)) return path
  }
  throw new Error(`all candidate file names for ${toSafeFileName(id)} are taken`)
}

async function writeAndClose(file: ResultFile, bytes: Uint8Array): Promise<void> {
  try {
    await file.write(bytes, 0)
  } catch (error) {
    // An incomplete file would mislead later readers.
    await unlink(file.path).catch(() => {})
    throw error
  } finally {
    await file.close()
  }
}

/** Whether the file already has this content: an earlier run may have ended after writing it, before recording its decision. */
async function hasContent(path: string, bytes: Buffer): Promise<boolean> {
  const stats = await lstat(path)
  return stats.isFile() && stats.size === bytes.length && (await readFile(path)).equals(bytes)
}

const MAX_RANDOM_TRIES = 3

/** Returns the first candidate path for a result of this id. */
export function toResultPath(directory: string, id: string): string {
  return join(resolve(directory), `${toSafeFileName(id)}.txt`)
}

/**
 * Generates the possible paths for an id, in order. Some providers reuse ids, and no file is overwritten. With a digest of the text,
 * the same text finds the same path.
 */
function* generateResultPaths(directory: string, id: string, computeDigest?: () => string): Generator<string> {
  yield toResultPath(directory, id)
  const toPathWithSuffix = (suffix: string) => join(resolve(directory), `${toSafeFileName(id)}-${suffix}.txt`)
  if (computeDigest !== undefined) yield toPathWithSuffix(computeDigest())
  for (let tryCount = 0; tryCount < MAX_RANDOM_TRIES; tryCount++) yield toPathWithSuffix(randomBytes(8).toString('hex'))
}

const PLAIN_ID = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,79}$/

/** Names that are devices on Windows, with any extension. */
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i

/** Returns a safe file name, without extension, for an id chosen by a model or server: no separators, no dots. */
export function toSafeFileName(id: string): string {
  if (PLAIN_ID.test(id) && !WINDOWS_DEVICE.test(id)) return id
  const readablePrefix = id.slice(0, 40).replace(/[^A-Za-z0-9_]+/g, '_')
  return `${readablePrefix}-${createHash('sha256').update(id).digest('hex').slice(0, 16)}`
}
