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
import { makeFolder } from '../../system/make-folder.js'

const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
/** A link could lead into any file, and a pipe would hold up the session. */
const FLAGS = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK
const NEWLINE = 10
/** What a disk that refuses lines can make us hold. */
const MAX_PENDING_CHARS = 32 * 1024 * 1024

export interface TranscriptFileOptions {
  readonly path: string
  /** A mark that is there while lines wait for the disk: how calls ended may not be in the file. */
  readonly gap?: string
  /** Done before the file is opened; what it throws counts as a refusal of the disk. */
  readonly prepare?: () => void
  readonly onProblem: (error: unknown) => void
  /** Left open between lines; if not, there can be any number of such files. */
  readonly keepOpen?: boolean
  readonly maxPendingChars?: number
}

/**
 * Lines that are only ever added, each in one piece and on its way to the disk before `append` returns.
 * Lines that the disk refuses wait for the next one that it takes; nothing that was written is touched.
 */
export class TranscriptFile {
  readonly #options: TranscriptFileOptions
  #descriptor: number | undefined
  /** The file ends in the middle of a line. */
  #isTorn = false
  #pending: string[] = []
  #pendingChars = 0
  #lost = 0
  #hasGap = false
  #isClosed = false

  constructor(options: TranscriptFileOptions) {
    this.#options = options
  }

  get isBehind(): boolean {
    return this.#pending.length > 0
  }

  append(line: string): void {
    if (this.#isClosed) return
    // Where a line was given up, those after it are, too, until it can be said that some are missing.
    if (this.#isFullWith(line) && !this.#catchUp()) this.#lost++
    else {
      this.#pending.push(line)
      this.#pendingChars += line.length
      this.#catchUp()
    }
    if (this.#options.keepOpen !== true) this.#release()
  }

  /** The last try for lines that still wait. */
  close(): void {
    if (this.#isClosed) return
    if (this.isBehind) this.#catchUp()
    this.#isClosed = true
    this.#release()
  }

  #isFullWith(line: string): boolean {
    if (this.#lost > 0) return true
    return this.isBehind && this.#pendingChars + line.length > (this.#options.maxPendingChars ?? MAX_PENDING_CHARS)
  }

  #catchUp(): boolean {
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
    let done = 0
    try {
      for (; done < this.#pending.length; done++) this.#write(descriptor, this.#pending[done] ?? '')
    } finally {
      this.#drop(done)
    }
    if (this.#lost > 0) {
      const count = this.#lost
      this.#write(descriptor, JSON.stringify({ type: 'lines-lost', at: Date.now(), count }))
      this.#lost = 0
    }
    if (this.#hasGap) this.#closeGap()
  }

  #drop(count: number): void {
    if (count === this.#pending.length) {
      this.#pending = []
      this.#pendingChars = 0
      return
    }
    for (const line of this.#pending.splice(0, count)) this.#pendingChars -= line.length
  }

  #write(descriptor: number, line: string): void {
    const bytes = Buffer.from(this.#isTorn ? `\n${line}\n` : `${line}\n`)
    let at = 0
    try {
      while (at < bytes.length) at += writeSync(descriptor, bytes, at)
    } catch (error) {
      // Written again whole, behind a newline of its own: readers skip the piece.
      if (at > 0) this.#isTorn = true
      throw error
    }
    this.#isTorn = false
  }

  #open(): number {
    if (this.#descriptor !== undefined) return this.#descriptor
    const { path, prepare } = this.#options
    makeFolder(dirname(path))
    prepare?.()
    const descriptor = openSync(path, FLAGS, 0o600)
    try {
      const stat = fstatSync(descriptor)
      if (!stat.isFile()) throw new Error('it is no regular file')
      this.#isTorn = stat.size > 0 && lastByte(descriptor, stat.size) !== NEWLINE
    } catch (error) {
      closeSync(descriptor)
      throw error
    }
    this.#descriptor = descriptor
    const { gap } = this.#options
    // One that an earlier process left is closed by the first line that can be written.
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
      // An empty file: there often is room for one where there is none for a line.
      writeFileSync(gap, '', { mode: 0o600 })
      this.#hasGap = true
    } catch {
      // Where not even that can be written, nobody will know; the user has been told.
    }
  }

  #closeGap(): void {
    const { gap } = this.#options
    if (gap !== undefined) rmSync(gap, { force: true })
    this.#hasGap = false
  }
}

function lastByte(descriptor: number, size: number): number | undefined {
  const byte = Buffer.alloc(1)
  readSync(descriptor, byte, 0, 1, size - 1)
  return byte[0]
}
