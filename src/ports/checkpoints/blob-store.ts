import { lstatSync, utimesSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { contentHash } from '../../shared/content-hash.js'
import { makeFolder } from '../../system/make-folder.js'
import { writeFileAtomically, writeFileAtomicallySync } from '../../system/write-file-atomically.js'
import { hasCode } from '../files/file-failure.js'
import { SMALL_BYTES } from './entry-state.js'
import { RETENTION } from './prune-checkpoints.js'

/** Content by its SHA-256: the same content is kept once, whatever it is called. */
export interface BlobStore {
  /** Gives the name of the content, which is then kept. */
  put(content: Uint8Array): Promise<string>
  /** Undefined where it is not there, or is not what it was. */
  get(hash: string): Promise<Buffer | undefined>
  /** How much has come by this store. */
  readonly bytesPut: number
}

/**
 * Content outlives the process, but is not forced to the disk: a power failure may cost the last seconds of what could be
 * undone, never a file itself, and content that was hit is seen by its hash.
 */
export function blobStore(folder: string): BlobStore {
  const made = new Set<string>()
  const known = new Map<string, number>()
  let bytesPut = 0
  const placeOf = (hash: string) => join(folder, hash.slice(0, 2), hash.slice(2))
  const write = async (place: string, content: Uint8Array) => {
    const parent = dirname(place)
    // An empty folder is removed with what nobody needs; it is made again.
    const wasMade = made.has(parent)
    if (!wasMade) makeFolder(parent)
    made.add(parent)
    try {
      if (content.length <= SMALL_BYTES) writeFileAtomicallySync(place, content, { mode: 0o600 })
      else await writeFileAtomically(place, content, { mode: 0o600, isDurable: false })
    } catch (error) {
      made.delete(parent)
      if (!wasMade || !hasCode(error, 'ENOENT')) throw error
      await write(place, content)
    }
  }
  return {
    get bytesPut() {
      return bytesPut
    },
    async put(content) {
      const hash = contentHash(content)
      const now = Date.now()
      // Content that was not needed for long may have been removed by another process.
      if (now - (known.get(hash) ?? 0) < RETENTION.graceMs / 2) return hash
      const place = placeOf(hash)
      if (touch(place, now) !== content.length) {
        await write(place, content)
        bytesPut += content.length
      }
      known.set(hash, now)
      return hash
    },
    async get(hash) {
      const content = await readFile(placeOf(hash)).catch(() => undefined)
      return content !== undefined && contentHash(content) === hash ? content : undefined
    },
  }
}

/** Says that the content is needed again, and gives its size; undefined where it is not there. */
function touch(place: string, now: number): number | undefined {
  const size = lstatSync(place, { throwIfNoEntry: false })?.size
  if (size === undefined) return undefined
  try {
    utimesSync(place, now / 1000, now / 1000)
    return size
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}
