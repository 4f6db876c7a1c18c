import { randomBytes } from 'node:crypto'
import { type BigIntStats, closeSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { countBytes, type FileContent, joinContent, listPieces } from '../shared/file-content.js'
import { formatIdentity, hasEnded } from './processes/process-identity.js'
import { syncFile, syncFolder, syncFolderNow } from './sync-to-disk.js'

/** Up to this size, one copy and one write are faster than a write for each piece. */
const MAX_SINGLE_WRITE_BYTES = 256 * 1024

export interface AtomicWriteOptions {
  /** The mode of a new file. Default: the default of the process. */
  readonly mode?: number | undefined
  /** Whether an existing file keeps its mode. Default: true. */
  readonly keepsMode?: boolean
  /** Whether the content must survive a power failure, not only a crash of this process. Default: true. */
  readonly isDurable?: boolean
  /** Runs right before the new file replaces the old one. Throw to cancel. */
  readonly beforeRename?: () => Promise<unknown>
}

/** Replaces a file in one step, keeping its owner if permitted: readers see the old or the new content, even after a crash. */
export async function writeFileAtomically(
  file: string,
  content: NewContent,
  { mode, keepsMode = true, isDurable = true, beforeRename }: AtomicWriteOptions = {},
): Promise<void> {
  const oldStats = await stat(file, { bigint: true }).catch(() => undefined)
  const newMode = keepsMode && oldStats !== undefined ? Number(oldStats.mode & 0o7777n) : mode
  const temporaryPath = join(dirname(file), createTemporaryName())
  await writeNewFile(temporaryPath, content, { mode: newMode, owner: oldStats, isDurable })
  try {
    await beforeRename?.()
    await rename(temporaryPath, file)
  } catch (error) {
    await rm(temporaryPath, { force: true })
    throw error
  }
  if (isDurable) await syncFolder(dirname(file))
}

/**
 * Replaces a file in one step, synchronously: faster for small content, because no other thread is involved. The new file
 * does not keep the owner of the old one.
 */
export function writeFileAtomicallySync(
  file: string,
  content: Uint8Array,
  { mode, isDurable = false }: { readonly mode: number; readonly isDurable?: boolean },
): void {
  const temporaryPath = join(dirname(file), createTemporaryName())
  try {
    writeNewFileSync(temporaryPath, content, { mode, isDurable })
    renameSync(temporaryPath, file)
  } catch (error) {
    rmSync(temporaryPath, { force: true })
    throw error
  }
  if (isDurable) syncFolderNow(dirname(file))
}

function writeNewFileSync(
  path: string,
  content: Uint8Array,
  { mode, isDurable }: { readonly mode: number; readonly isDurable: boolean },
): void {
  const descriptor = openSync(path, 'wx', mode)
  try {
    writeFileSync(descriptor, content)
    if (isDurable) syncFile(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Writes new content beside a file and flushes it to disk. The returned function puts it in place synchronously, for callers
 * that must do more before any other code runs.
 */
export async function prepareReplacement(
  file: string,
  content: NewContent,
  { mode }: { readonly mode: number },
): Promise<() => void> {
  const temporaryPath = join(dirname(file), createTemporaryName())
  await writeNewFile(temporaryPath, content, { mode })
  return () => {
    try {
      renameSync(temporaryPath, file)
    } catch (error) {
      rmSync(temporaryPath, { force: true })
      throw error
    }
    syncFolderNow(dirname(file))
  }
}

export type NewContent = string | FileContent | AsyncIterable<Uint8Array | string>

interface NewFileOptions {
  /** If undefined, the file gets the default mode of the process. */
  readonly mode: number | undefined
  /** The stats of the file that will be replaced. The new file gets the same owner, if the system permits it. */
  readonly owner?: BigIntStats | undefined
  readonly isDurable?: boolean
}

/** Creates a file that does not exist yet and returns its stats. Removes it again if the content cannot be written. */
export async function writeNewFile(
  path: string | Buffer,
  content: NewContent,
  { mode, owner, isDurable = true }: NewFileOptions,
): Promise<BigIntStats> {
  // Other users must not be able to read the content before the mode is set.
  const handle = await open(path, 'wx', mode === undefined ? 0o666 : 0o600)
  try {
    await writeContent(handle, content)
    if (owner !== undefined) await keepOwner(handle, owner)
    if (mode !== undefined) await handle.chmod(mode)
    // Without this, a power failure could leave the renamed file without its content.
    if (isDurable) await handle.datasync()
    return await handle.stat({ bigint: true })
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}

async function writeContent(handle: FileHandle, content: NewContent): Promise<void> {
  if (typeof content === 'string') return handle.writeFile(content)
  if (Symbol.asyncIterator in content) {
    for await (const piece of content) await handle.writeFile(piece)
    return
  }
  const pieces = countBytes(content) > MAX_SINGLE_WRITE_BYTES ? listPieces(content) : [joinContent(content)]
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const { bytesWritten } = await handle.write(piece, at, piece.length - at)
      at += bytesWritten
    }
  }
}

/**
 * Gives a file the owner of the replaced one. Only root can change the owner. For other users the new file belongs to the user
 * who writes it.
 */
async function keepOwner(handle: FileHandle, { uid, gid }: BigIntStats): Promise<void> {
  const newStats = await handle.stat({ bigint: true })
  if (newStats.uid !== uid || newStats.gid !== gid) await handle.chown(Number(uid), Number(gid)).catch(() => {})
}

const TEMPORARY_NAME = /^\.haft-([0-9a-f]+-\d+-\d+)-[0-9a-f]+\.tmp$/

/** Creates a name for a temporary file. The name contains the identity of this process, so that leftovers of killed processes are found. */
export function createTemporaryName(): string {
  return `.haft-${formatIdentity()}-${randomBytes(6).toString('hex')}.tmp`
}

/** Whether a file name is that of a temporary file whose process has ended. */
export function isAbandonedTemporary(name: string): boolean {
  const owner = TEMPORARY_NAME.exec(name)?.[1]
  return owner !== undefined && hasEnded(owner)
}
