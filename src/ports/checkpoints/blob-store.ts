import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { contentHash } from '../../shared/content-hash.js'
import { SMALL_BYTES } from './take-state.js'

/** Content by its SHA-256: the same content is kept once, whatever it is called. */
export interface BlobStore {
  /** Gives the name of the content, which is then kept. */
  put(content: Uint8Array): Promise<string>
  /** Undefined where it is not there, or is not what it was. */
  get(hash: string): Promise<Buffer | undefined>
}

/**
 * Content outlives the process, but is not forced to the disk: a power failure may cost the last seconds of what could be
 * undone, never a file itself, and content that was hit is seen by its hash.
 */
export function blobStore(folder: string): BlobStore {
  const made = new Set<string>()
  const known = new Set<string>()
  const placeOf = (hash: string) => join(folder, hash.slice(0, 2), hash.slice(2))
  return {
    async put(content) {
      const hash = contentHash(content)
      if (known.has(hash)) return hash
      const place = placeOf(hash)
      if (lstatSync(place, { throwIfNoEntry: false })?.size !== content.length) {
        const parent = join(folder, hash.slice(0, 2))
        if (!made.has(parent)) mkdirSync(parent, { recursive: true, mode: 0o700 })
        made.add(parent)
        if (content.length <= SMALL_BYTES) writeSmall(place, content)
        else await writeLarge(place, content)
      }
      known.add(hash)
      return hash
    },
    async get(hash) {
      const content = await readFile(placeOf(hash)).catch(() => undefined)
      return content !== undefined && contentHash(content) === hash ? content : undefined
    },
  }
}

/** Under its name it is whole: who is killed meanwhile leaves another name. */
async function writeLarge(place: string, content: Uint8Array): Promise<void> {
  const temporary = temporaryFor(place)
  try {
    await writeFile(temporary, content, { mode: 0o600, flag: 'wx' })
    await rename(temporary, place)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** The same at once: handing so little to another thread would cost several times what it takes. */
function writeSmall(place: string, content: Uint8Array): void {
  const temporary = temporaryFor(place)
  try {
    writeFileSync(temporary, content, { mode: 0o600, flag: 'wx' })
    renameSync(temporary, place)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

function temporaryFor(place: string): string {
  return `${place}.${randomBytes(6).toString('hex')}`
}
