import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../../../system/make-folder.js'
import { syncFile, syncFolderNow } from '../../../system/sync-to-disk.js'

const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
/** A symbolic link could redirect writes to any file, and a pipe would block the session. */
const OPEN_FLAGS = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK
const NEWLINE = 10
/** Limit for lines kept in memory while the disk cannot be written. */
const MAX_PENDING_CHARS = 32 * 1024 * 1024

export interface TranscriptFileOptions {
  readonly path: string
  /** Path of a marker file that exists while lines are pending: the outcome of calls may be missing from the transcript. */
  readonly gap?: string
  /** Called before the file is opened. Its errors are treated like write errors. */
  readonly prepare?: () => void
  readonly onProblem: (error: unknown) => void
  /** Whether the file stays open between lines. Otherwise it is closed after each, so that many files need no descriptors. */
  readonly shouldKeepOpen?: boolean
  readonly maxPendingChars?: number
  /** Whether each line must survive a power failure, not only a crash of this process. Default: false. */
  readonly isDurable?: boolean | undefined
}

/**
 * An append-only file of lines. Each line is handed to the operating system, or to the disk if the file is durable, before
 * `append` returns.
 * Lines that cannot be written are kept and written before the next line. Written lines are never changed.
 */
export class TranscriptFile {
  readonly #options: TranscriptFileOptions
  #descriptor: number | undefined
  /** Whether the file ends with an incomplete line. */
  #isTorn = false
  #pendingLines: string[] = []
  #pendingChars = 0
  #droppedLineCount = 0
  #hasGap = false
  #isClosed = false

  constructor(options: TranscriptFileOptions) {
    this.#options = options
  }

  get hasPending(): boolean {
    return this.#pendingLines.length > 0
  }

  append(line: string): void {
    if (this.#isClosed) return
    // After one dropped line all later ones are dropped as well, until a `lines-lost` entry can be written.
    if (this.#exceedsLimit(line) && !this.#tryFlush()) this.#droppedLineCount++
    else {
      this.#pendingLines.push(line)
      this.#pendingChars += line.length
      this.#tryFlush()
    }
    if (this.#options.shouldKeepOpen !== true) this.#release()
  }

  /** Tries once more to write the pending lines, then closes the file. */
  close(): void {
    if (this.#isClosed) return
    if (this.hasPending) this.#tryFlush()
    this.#isClosed = true
    this.#release()
  }

  #exceedsLimit(line: string): boolean {
    if (this.#droppedLineCount > 0) return true
    return this.hasPending && this.#pendingChars + line.length > (this.#options.maxPendingChars ?? MAX_PENDING_CHARS)
  }

  #tryFlush(): boolean {
    try {
      this.#flush()
      return true
    } catch (error) {
      this.#markGap()
      this.#options.onProblem(error)
      return false
    }
  }

  #flush(): void {
    const descriptor = this.#open()
    let writtenLines = 0
    try {
      for (; writtenLines < this.#pendingLines.length; writtenLines++)
        this.#write(descriptor, this.#pendingLines[writtenLines] ?? '')
    } finally {
      this.#removePending(writtenLines)
    }
    if (this.#droppedLineCount > 0) {
      const count = this.#droppedLineCount
      this.#write(descriptor, JSON.stringify({ type: 'lines-lost', at: Date.now(), count }))
      this.#droppedLineCount = 0
    }
    if (this.#options.isDurable === true) syncFile(descriptor)
    if (this.#hasGap) this.#removeGap()
  }

  #removePending(count: number): void {
    if (count === this.#pendingLines.length) {
      this.#pendingLines = []
      this.#pendingChars = 0
      return
    }
    for (const line of this.#pendingLines.splice(0, count)) this.#pendingChars -= line.length
  }

  #write(descriptor: number, line: string): void {
    const bytes = Buffer.from(this.#isTorn ? `\n${line}\n` : `${line}\n`)
    let at = 0
    try {
      while (at < bytes.length) at += writeSync(descriptor, bytes, at)
    } catch (error) {
      // The whole line is written again after a newline. Readers skip the torn part.
      if (at > 0) this.#isTorn = true
      throw error
    }
    this.#isTorn = false
  }

  #open(): number {
    if (this.#descriptor !== undefined) return this.#descriptor
    const { path, prepare, isDurable = false } = this.#options
    makeFolder(dirname(path), { isDurable })
    prepare?.()
    const descriptor = openSync(path, OPEN_FLAGS, 0o600)
    try {
      const stat = fstatSync(descriptor)
      if (isDurable && stat.size === 0) syncFolderNow(dirname(path))
      if (!stat.isFile()) throw new Error('it is not a regular file')
      this.#isTorn = stat.size > 0 && readLastByte(descriptor, stat.size) !== NEWLINE
    } catch (error) {
      closeSync(descriptor)
      throw error
    }
    this.#descriptor = descriptor
    const { gap } = this.#options
    // A marker left by an earlier process is removed with the first line written.
    this.#hasGap ||= gap !== undefined && existsSync(gap)
    return descriptor
  }

  #release(): void {
    const descriptor = this.#descriptor
    this.#descriptor = undefined
    if (descriptor !== undefined) closeSync(descriptor)
  }

  #markGap(): void {
    const { gap } = this.#options
    if (gap === undefined || this.#hasGap || this.#descriptor === undefined) return
    try {
      // An empty file often still fits on a full disk.
      writeFileSync(gap, '', { mode: 0o600 })
      this.#hasGap = true
    } catch {
      // The gap stays unmarked. The user has been warned about the write error.
    }
  }

  #removeGap(): void {
    const { gap } = this.#options
    if (gap !== undefined) rmSync(gap, { force: true })
    this.#hasGap = false
  }
}

function readLastByte(descriptor: number, size: number): number | undefined {
  const byte = Buffer.alloc(1)
  readSync(descriptor, byte, 0, 1, size - 1)
  return byte[0]
}
