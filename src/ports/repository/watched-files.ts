import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readdir, stat } from 'node:fs/promises'

const MAX_BYTES = 64 * 1024 * 1024
const MAX_ENTRIES = 10_000

/** What stands at a path, or why nothing can be read there. */
export type Found<T> = { readonly is: 'found'; readonly content: T } | { readonly is: 'absent' | 'unreadable' }

export interface FileStat {
  readonly isFile: boolean
  readonly isFolder: boolean
  readonly isExecutable: boolean
  readonly size: bigint
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
  readonly ino: bigint
}

/** Reads files and remembers how each of them looked, those that are not there among them. */
export class WatchedFiles {
  readonly #seen = new Map<string, string>()

  /** Whether all that was looked at is as it was. */
  async areUnchanged(): Promise<boolean> {
    for (const [key, signature] of this.#seen) {
      if ((await look(key)).signature !== signature) return false
    }
    return true
  }

  stat(path: string): Promise<FileStat | null> {
    return this.#stat(`s${path}`)
  }

  /** Does not follow a link. */
  lstat(path: string): Promise<FileStat | null> {
    return this.#stat(`l${path}`)
  }

  async isFolder(path: string): Promise<boolean> {
    return (await this.stat(path))?.isFolder === true
  }

  async readBytes(path: string, limit = MAX_BYTES): Promise<Found<Buffer>> {
    const before = await this.#look(`s${path}`)
    if (before.stat === null) return { is: before.signature === ABSENT ? 'absent' : 'unreadable' }
    if (!before.stat.isFile || before.stat.size > BigInt(limit)) return { is: 'unreadable' }
    return readRegularFile(path, limit)
  }

  async readText(path: string, limit = 1024 * 1024): Promise<Found<string>> {
    const found = await this.readBytes(path, limit)
    return found.is === 'found' ? { is: 'found', content: found.content.toString('utf8') } : found
  }

  /** The names in a folder; null where there is none or it has too many. */
  async list(path: string): Promise<readonly string[] | null> {
    if (!(await this.isFolder(path))) return null
    try {
      const names = await readdir(path)
      return names.length > MAX_ENTRIES ? null : names
    } catch {
      // Gone or closed since it was looked at.
      return null
    }
  }

  async #stat(key: string): Promise<FileStat | null> {
    return (await this.#look(key)).stat
  }

  async #look(key: string): Promise<Look> {
    const found = await look(key)
    // The first look counts: what changed afterwards was perhaps read as it is now.
    if (!this.#seen.has(key)) this.#seen.set(key, found.signature)
    return found
  }
}

interface Look {
  readonly signature: string
  readonly stat: FileStat | null
}

const ABSENT = 'absent'

async function look(key: string): Promise<Look> {
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
        mtimeNs,
        ctimeNs,
        ino,
      },
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
    return { signature: code === 'ENOENT' || code === 'ENOTDIR' ? ABSENT : code, stat: null }
  }
}

/** Opened without waiting: a pipe put in its place since would block for ever. */
async function readRegularFile(path: string, limit: number): Promise<Found<Buffer>> {
  let handle: FileHandle | undefined
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const { size } = await handle.stat()
    if (!(await handle.stat()).isFile() || size > limit) return { is: 'unreadable' }
    const buffer = Buffer.alloc(size)
    const { bytesRead } = await handle.read(buffer, 0, size, 0)
    return bytesRead === size ? { is: 'found', content: buffer } : { is: 'unreadable' }
  } catch {
    // Not there any more, or not ours to read.
    return { is: 'unreadable' }
  } finally {
    await handle?.close()
  }
}
