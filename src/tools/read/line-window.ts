import type { TextEncoding } from '../../shared/detect-encoding.js'

export interface WindowOptions {
  readonly encoding: TextEncoding
  readonly lineEnd: 'LF' | 'CR'
  /** Lines to pass over. */
  readonly skip: number
  /** Lines to keep. */
  readonly take: number
  /** Bytes kept of one line; the rest of it is passed over. */
  readonly maxLineBytes: number
  /** Bytes kept of all lines; then the window is full. */
  readonly maxBytes: number
}

export interface WindowLine {
  readonly bytes: Uint8Array
  readonly isCut: boolean
}

/**
 * Keeps some lines out of chunks that pass by, and never more than these: memory does not grow with the file.
 * Told of chunks in order until `isDone`; the end of the file is told by `end`.
 */
export class LineWindow {
  readonly lines: WindowLine[] = []
  /** The bytes of the whole lines that were kept do not fit. */
  isOverfull = false
  /** Something follows after the last line that was kept. */
  hasMore = false
  isDone = false
  readonly #options: WindowOptions
  readonly #unit: 1 | 2
  #toSkip: number
  #toDrop: number
  #keptBytes = 0
  #passed = 0
  /** What was kept of the line at hand. */
  #parts: Uint8Array[] = []
  #partBytes = 0
  #lineBytes = 0
  /** The first byte of a unit whose second comes with the next chunk. */
  #half: number | undefined

  constructor(options: WindowOptions) {
    this.#options = options
    this.#unit = options.encoding.kind === 'eight-bit' ? 1 : 2
    this.#toSkip = options.skip
    this.#toDrop = options.encoding.bomLength
  }

  /** All lines that came by, kept or not, once `end` was told. */
  get lineCount(): number {
    return this.#passed + this.lines.length
  }

  push(given: Uint8Array): void {
    const chunk = this.#aligned(given)
    let from = 0
    while (from < chunk.length && !this.isDone) {
      if (this.lines.length === this.#options.take) {
        this.hasMore = true
        this.isDone = true
        return
      }
      const end = this.#findEnd(chunk, from)
      if (end === -1) {
        this.#addToLine(chunk, from, chunk.length)
        return
      }
      this.#addToLine(chunk, from, end)
      this.#closeLine()
      from = end + this.#unit
    }
  }

  end(): void {
    if (this.#lineBytes > 0 && !this.isDone) this.#closeLine()
    this.isDone = true
  }

  /** Takes the mark off the start, and sees that no unit is torn. */
  #aligned(given: Uint8Array): Buffer {
    const dropped = Math.min(this.#toDrop, given.length)
    this.#toDrop -= dropped
    let chunk = Buffer.from(given.buffer, given.byteOffset + dropped, given.length - dropped)
    if (this.#unit === 1) return chunk
    if (this.#half !== undefined) chunk = Buffer.concat([Buffer.of(this.#half), chunk])
    this.#half = chunk.length % 2 === 1 ? chunk.at(-1) : undefined
    return this.#half === undefined ? chunk : chunk.subarray(0, -1)
  }

  #findEnd(chunk: Buffer, from: number): number {
    const wanted = this.#options.lineEnd === 'LF' ? 0x0a : 0x0d
    if (this.#unit === 1) return chunk.indexOf(wanted, from)
    const isLittle = this.#options.encoding.kind === 'utf-16le'
    for (let at = chunk.indexOf(wanted, from); at !== -1; at = chunk.indexOf(wanted, at + 1)) {
      const start = isLittle ? at : at - 1
      if (start % 2 === 0 && start >= from && chunk[isLittle ? at + 1 : at - 1] === 0) return start
    }
    return -1
  }

  #addToLine(chunk: Buffer, from: number, end: number): void {
    this.#lineBytes += end - from
    if (this.#toSkip > 0) return
    const room = this.#options.maxLineBytes - this.#partBytes
    if (room <= 0 || end === from) return
    // Copied, since a part of a chunk would keep the whole chunk in memory.
    const part = Uint8Array.prototype.slice.call(chunk, from, Math.min(end, from + room))
    this.#parts.push(part)
    this.#partBytes += part.length
  }

  #closeLine(): void {
    if (this.#toSkip > 0) {
      this.#toSkip--
      this.#passed++
    } else if (this.#keptBytes + this.#partBytes > this.#options.maxBytes) {
      this.isOverfull = true
      this.isDone = true
    } else {
      this.#keptBytes += this.#partBytes
      const isCut = this.#lineBytes > this.#partBytes
      this.lines.push({ bytes: this.#parts.length === 1 ? (this.#parts[0] as Uint8Array) : Buffer.concat(this.#parts), isCut })
    }
    this.#parts = []
    this.#partBytes = 0
    this.#lineBytes = 0
  }
}
