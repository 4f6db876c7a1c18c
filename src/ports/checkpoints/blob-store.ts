import { lstatSync, utimesSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { computeContentHash } from '../../shared/content-hash.js'
import { makeFolder } from '../../system/make-folder.js'
import { syncFileAt, syncFolderNow } from '../../system/sync-to-disk.js'
import { writeFileAtomically, writeFileAtomicallySync } from '../../system/write-file-atomically.js'
import { hasErrorCode } from '../files/file-failure.js'
import { MAX_SYNC_BYTES } from './entry-state.js'
import { DEFAULT_RETENTION } from './prune-checkpoints.js'

/** Stores content by its SHA-256. Equal content is stored once. */
export interface BlobStore {
  /** Stores content and returns its hash. */
  put(content: Uint8Array): Promise<string>
  /** Returns the content; undefined if it is missing or damaged. */
  get(hash: string): Promise<Buffer | undefined>
  /** The number of bytes that this object has written. Content that was already stored does not count. */
  readonly bytesPut: number
}

/**
 * Creates a store whose content survives a crash of the process. Unless it is durable, a power failure may lose the last
 * seconds of undo history, but never a file of the user. Damaged content is detected by its hash.
 */
export function createBlobStore(
  folder: string,
  { isDurable = false }: { readonly isDurable?: boolean } = {},
): BlobStore {
  const createdFolders = new Set<string>()
  const storedAt = new Map<string, number>()
  let bytesPut = 0
  const toBlobPath = (hash: string) => join(folder, hash.slice(0, 2), hash.slice(2))
  const write = async (blobPath: string, content: Uint8Array) => {
    const parent = dirname(blobPath)
    // Pruning removes empty folders, so the parent may have to be created again.
    const wasCreated = createdFolders.has(parent)
    if (!wasCreated) makeFolder(parent, { isDurable })
    createdFolders.add(parent)
    try {
      if (content.length <= MAX_SYNC_BYTES) writeFileAtomicallySync(blobPath, content, { mode: 0o600, isDurable })
      else await writeFileAtomically(blobPath, content, { mode: 0o600, isDurable })
    } catch (error) {
      createdFolders.delete(parent)
      if (!wasCreated || !hasErrorCode(error, 'ENOENT')) throw error
      await write(blobPath, content)
    }
  }
  return {
    get bytesPut() {
      return bytesPut
    },
    async put(content) {
      const hash = computeContentHash(content)
      const now = Date.now()
      // Checked again after half the grace period, because another process may have pruned content that has not been used for
      // long.
      if (now - (storedAt.get(hash) ?? 0) < DEFAULT_RETENTION.graceMs / 2) return hash
      const blobPath = toBlobPath(hash)
      if (touchBlob(blobPath, now) !== content.length) {
        await write(blobPath, content)
        bytesPut += content.length
      } else if (isDurable) {
        // Another process may have stored it without flushing it.
        syncFileAt(blobPath)
        syncFolderNow(dirname(blobPath))
      }
      storedAt.set(hash, now)
      return hash
    },
    async get(hash) {
      const content = await readFile(toBlobPath(hash)).catch(() => undefined)
      return content !== undefined && computeContentHash(content) === hash ? content : undefined
    },
  }
}

/** Marks the content as used and returns its size; undefined if it is missing. */
function touchBlob(blobPath: string, now: number): number | undefined {
  const size = lstatSync(blobPath, { throwIfNoEntry: false })?.size
  if (size === undefined) return undefined
  try {
    utimesSync(blobPath, now / 1000, now / 1000)
    return size
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined
    throw error
  }
}
