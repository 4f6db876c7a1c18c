import { closeSync, fdatasyncSync, fsyncSync, openSync } from 'node:fs'
import { open } from 'node:fs/promises'

/**
 * Flushes files and folders to the disk, so that they survive a power failure. A file needs two steps: its content, and its
 * name in the folder after it was created or renamed.
 */

/** Flushes the content of an open file. Throws if the disk reports an error. */
export function syncFile(descriptor: number): void {
  fdatasyncSync(descriptor)
}

/** Flushes the content of a file by its path. Windows flushes only files that are open for writing. */
export function syncFileAt(path: string): void {
  const descriptor = openSync(path, 'r+')
  try {
    syncFile(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Flushes the names in a folder. Windows and some network disks cannot do this, so errors are ignored. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  if (handle === undefined) return
  try {
    await handle.sync().catch(() => {})
  } finally {
    await handle.close()
  }
}

/** Like `syncFolder`, but synchronous. */
export function syncFolderNow(folder: string): void {
  let descriptor: number | undefined
  try {
    descriptor = openSync(folder, 'r')
    fsyncSync(descriptor)
  } catch {
    // This platform or disk cannot flush folders.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
