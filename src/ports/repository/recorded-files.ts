import { type Dirent, lstatSync, readdirSync, statSync } from 'node:fs'
import { type ReadResult, readRegularFile } from '../../system/read-regular-file.js'

const MAX_BYTES = 64 * 1024 * 1024

export interface RecordedFileStat {
  readonly isFile: boolean
  readonly isFolder: boolean
  readonly isLink: boolean
  readonly isExecutable: boolean
  readonly size: bigint
}

/** Reads files and records the state of each path, even if it is missing, so that changes can be detected later. */
export class RecordedFiles {
  /** Signatures by key: `s` or `l`, for stat or lstat, followed by the path. */
  readonly #recordedObservations = new Map<string, string>()

  /** Whether every path is in its recorded state. */
  areUnchanged(): boolean {
    for (const [key, signature] of this.#recordedObservations) {
      if (observePath(key).signature !== signature) return false
    }
    return true
  }

  stat(path: string): RecordedFileStat | null {
    return this.#observe(`s${path}`).stat
  }

  /** Like `stat`, but does not follow symbolic links. */
  lstat(path: string): RecordedFileStat | null {
    return this.#observe(`l${path}`).stat
  }

  isFolder(path: string): boolean {
    return this.stat(path)?.isFolder === true
  }

  /** Lists a folder; empty if there is none, null if it cannot be read or a name is not UTF-8, so that no path names the entry. */
  list(path: string): readonly Dirent[] | null {
    const { stat, signature } = this.#observe(`l${path}`)
    if (stat === null) return signature === ABSENT_SIGNATURE ? [] : null
    if (!stat.isFolder) return []
    try {
      const entries = readdirSync(path, { withFileTypes: true })
      return entries.some(({ name }) => name.includes('\uFFFD')) ? null : entries
    } catch {
      // The folder was deleted in the meantime or may not be read.
      return null
    }
  }

  async readBytes(path: string, limit = MAX_BYTES): Promise<ReadResult<Buffer>> {
    const observationBefore = this.#observe(`s${path}`)
    if (observationBefore.stat === null)
      return { kind: observationBefore.signature === ABSENT_SIGNATURE ? 'absent' : 'unreadable' }
    if (!observationBefore.stat.isFile || observationBefore.stat.size > BigInt(limit)) return { kind: 'unreadable' }
    const readResult = readRegularFile(path, { maxBytes: limit })
    // A file that was deleted in the meantime is not known to be absent.
    return readResult.kind === 'found' ? readResult : { kind: 'unreadable' }
  }

  async readText(path: string, limit = 1024 * 1024): Promise<ReadResult<string>> {
    const readResult = await this.readBytes(path, limit)
    return readResult.kind === 'found' ? { kind: 'found', content: readResult.content.toString('utf8') } : readResult
  }

  /** Reads a small text without a promise, for loops over many folders; undefined if there is none. */
  readTextNow(path: string, maxBytes: number): string | undefined {
    if (this.stat(path)?.isFile !== true) return undefined
    const readResult = readRegularFile(path, { maxBytes })
    return readResult.kind === 'found' ? readResult.content.toString('utf8') : undefined
  }

  #observe(key: string): Observation {
    const observation = observePath(key)
    // The first state is kept, so that a change during the probe is detected later.
    if (!this.#recordedObservations.has(key)) this.#recordedObservations.set(key, observation.signature)
    return observation
  }
}

interface Observation {
  readonly signature: string
  readonly stat: RecordedFileStat | null
}

const ABSENT_SIGNATURE = 'absent'

/** Reads the facts about a path. Synchronous, because that takes 5 µs, and ten times as long through the thread pool. */
function observePath(key: string): Observation {
  const path = key.slice(1)
  try {
    const foundStats = (key.startsWith('l') ? lstatSync : statSync)(path, { bigint: true, throwIfNoEntry: false })
    if (foundStats === undefined) return { signature: ABSENT_SIGNATURE, stat: null }
    const { mtimeNs, ctimeNs, size, ino, mode, dev } = foundStats
    return {
      signature: [mtimeNs, ctimeNs, size, ino, mode, dev].join(' '),
      stat: {
        isFile: foundStats.isFile(),
        isFolder: foundStats.isDirectory(),
        isLink: foundStats.isSymbolicLink(),
        isExecutable: (mode & 0o111n) !== 0n,
        size,
      },
    }
  } catch (error) {
    return { signature: (error as NodeJS.ErrnoException).code ?? 'unknown', stat: null }
  }
}
