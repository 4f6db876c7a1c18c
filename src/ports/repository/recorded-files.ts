import { constants } from 'node:fs'
import { type FileHandle, lstat, open, stat } from 'node:fs/promises'

const MAX_BYTES = 64 * 1024 * 1024

/** The content of a file, or why it cannot be read. */
export type Found<T> = { readonly kind: 'found'; readonly content: T } | { readonly kind: 'absent' | 'unreadable' }

export interface RecordedFileStat {
  readonly isFile: boolean
  readonly isFolder: boolean
  readonly isExecutable: boolean
  readonly size: bigint
}

/** Reads files and records the state of each path, also of missing ones, to detect changes later. */
export class RecordedFiles {
  /** Signatures by key: `s` or `l`, for stat or lstat, followed by the path. */
  readonly #recordedObservations = new Map<string, string>()

  /** Whether every path is in its recorded state. */
  async areUnchanged(): Promise<boolean> {
    for (const [key, signature] of this.#recordedObservations) {
      if ((await observe(key)).signature !== signature) return false
    }
    return true
  }

  stat(path: string): Promise<RecordedFileStat | null> {
    return this.#stat(`s${path}`)
  }

  /** Does not follow symbolic links. */
  lstat(path: string): Promise<RecordedFileStat | null> {
    return this.#stat(`l${path}`)
  }

  async isFolder(path: string): Promise<boolean> {
    return (await this.stat(path))?.isFolder === true
  }

  async readBytes(path: string, limit = MAX_BYTES): Promise<Found<Buffer>> {
    const before = await this.#observe(`s${path}`)
    if (before.stat === null) return { kind: before.signature === ABSENT ? 'absent' : 'unreadable' }
    if (!before.stat.isFile || before.stat.size > BigInt(limit)) return { kind: 'unreadable' }
    return readRegularFile(path, limit)
  }

  async readText(path: string, limit = 1024 * 1024): Promise<Found<string>> {
    const found = await this.readBytes(path, limit)
    return found.kind === 'found' ? { kind: 'found', content: found.content.toString('utf8') } : found
  }

  async #stat(key: string): Promise<RecordedFileStat | null> {
    return (await this.#observe(key)).stat
  }

  async #observe(key: string): Promise<Observation> {
    const found = await observe(key)
    // Keeps the first state, so that a change during the probe is detected later.
    if (!this.#recordedObservations.has(key)) this.#recordedObservations.set(key, found.signature)
    return found
  }
}

interface Observation {
  readonly signature: string
  readonly stat: RecordedFileStat | null
}

const ABSENT = 'absent'

async function observe(key: string): Promise<Observation> {
  const path = key.slice(1)
  try {
    const found = await (key.startsWith('l') ? lstat : stat)(path, { bigint: true })
    const { mtimeNs, ctimeNs, size, ino, mode, dev } = found
    return {
      signature: [mtimeNs, ctimeNs, size, ino, mode, dev].join(' '),
      stat: {
        isFile: found.isFile(),
        isFolder: found.isDirectory(),
        isExecutable: (mode & 0o111n) !== 0n,
        size,
      },
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
    return { signature: code === 'ENOENT' || code === 'ENOTDIR' ? ABSENT : code, stat: null }
  }
}

/** Opens with O_NONBLOCK, because a named pipe that has replaced the file could block forever. */
async function readRegularFile(path: string, limit: number): Promise<Found<Buffer>> {
  let handle: FileHandle | undefined
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const { size } = await handle.stat()
    if (!(await handle.stat()).isFile() || size > limit) return { kind: 'unreadable' }
    const buffer = Buffer.alloc(size)
    const { bytesRead } = await handle.read(buffer, 0, size, 0)
    return bytesRead === size ? { kind: 'found', content: buffer } : { kind: 'unreadable' }
  } catch {
    // Deleted in the meantime, or no permission.
    return { kind: 'unreadable' }
  } finally {
    await handle?.close()
  }
}
