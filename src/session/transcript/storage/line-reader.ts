import { fstatSync, readSync } from 'node:fs'
import { DEFAULT_PACING } from '../../../shared/for-each-in-slices.js'

/** The position of a line in a file, without its newline. */
export interface LineRef {
  readonly offset: number
  readonly length: number
}

const WINDOW_BYTES = 4 * 1024 * 1024
/** Read and indexed at once by `scanInSlices`. */
const SLICE_BYTES = 512 * 1024
const NEWLINE = 10
/** The number of bytes that are kept from the beginning of a line that spans two windows. */
const MAX_HEAD_BYTES = 64 * 1024
/** Longer lines are skipped, because the length of a string is limited. Haft never writes lines of this size. */
const MAX_LINE_BYTES = 256 * 1024 * 1024

/** A line found by `scan`. */
export interface ScannedLine {
  readonly line: LineRef
  /** May be only the beginning of a long line. Valid only until the next line is scanned. */
  readonly head: Buffer
  readonly lastByte: number
  /** Whether the file ends without a newline after this line. */
  readonly isUnterminated: boolean
}

/** Reads the lines of an open file in large chunks. */
export class LineReader {
  readonly #descriptor: number
  #buffer = Buffer.alloc(0)
  #windowStart = 0
  #windowLength = 0

  constructor(descriptor: number) {
    this.#descriptor = descriptor
  }

  /** Calls `onLine` for every line that is not empty, in order. */
  scan(onLine: (scannedLine: ScannedLine) => void): void {
    const buffer = Buffer.allocUnsafe(this.#computeWindowBytes() + 1)
    const splitter = new LineSplitter(onLine)
    for (let at = 0; ; ) {
      const count = readSync(this.#descriptor, buffer, 0, buffer.length, at)
      if (count === 0) break
      splitter.add(buffer.subarray(0, count))
      at += count
    }
    splitter.end()
  }

  /**
   * Like `scan`, from an offset and without blocking the event loop for long. Returns the offset after the last complete
   * line, from which a later scan can continue.
   */
  async scanInSlices(onLine: (scannedLine: ScannedLine) => void, from: number): Promise<number> {
    const size = Math.min(SLICE_BYTES, Math.max(0, fstatSync(this.#descriptor).size - from) + 1)
    const buffer = Buffer.allocUnsafe(size)
    let completeEnd = from
    const splitter = new LineSplitter((scannedLine) => {
      if (scannedLine.isUnterminated) return
      completeEnd = scannedLine.line.offset + scannedLine.line.length + 1
      onLine(scannedLine)
    }, from)
    for (let at = from; ; ) {
      const count = readSync(this.#descriptor, buffer, 0, buffer.length, at)
      if (count === 0) break
      splitter.add(buffer.subarray(0, count))
      at += count
      await DEFAULT_PACING.pause()
    }
    splitter.end()
    return completeEnd
  }

  /** Parses a line. Returns undefined if it is not JSON. Fastest when lines are read in order. */
  parse({ offset, length }: LineRef): unknown {
    if (length > MAX_LINE_BYTES) return undefined
    if (offset < this.#windowStart || offset + length > this.#windowStart + this.#windowLength)
      this.#read(offset, length)
    const start = offset - this.#windowStart
    return parseJson(this.#buffer.toString('utf8', start, Math.min(start + length, this.#windowLength)))
  }

  #computeWindowBytes(): number {
    return Math.min(WINDOW_BYTES, fstatSync(this.#descriptor).size)
  }

  #read(offset: number, length: number): void {
    if (this.#buffer.length < length) this.#buffer = Buffer.allocUnsafe(Math.max(length, this.#computeWindowBytes()))
    let count = 0
    while (count < length) {
      const bytesRead = readSync(this.#descriptor, this.#buffer, count, this.#buffer.length - count, offset + count)
      if (bytesRead === 0) break
      count += bytesRead
    }
    this.#windowStart = offset
    this.#windowLength = count
  }
}

const EMPTY_BUFFER: Buffer = Buffer.alloc(0)

/** Finds the lines in a stream of chunks. Keeps only the beginning of a line that spans chunks, and skips empty lines. */
class LineSplitter {
  readonly #onLine: (scannedLine: ScannedLine) => void
  /** The beginning of a line that continues in the next chunk. */
  #lineHead = EMPTY_BUFFER
  #lastByte = NEWLINE
  #lineStart: number
  #chunkStart: number

  constructor(onLine: (scannedLine: ScannedLine) => void, start = 0) {
    this.#onLine = onLine
    this.#lineStart = start
    this.#chunkStart = start
  }

  add(chunk: Buffer): void {
    let at = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, at)) {
      if (end > at) this.#lastByte = chunk[end - 1] ?? NEWLINE
      const lineEnd = chunk.subarray(at, end)
      this.#emit(
        this.#lineHead.length === 0 ? lineEnd : copyJoined(this.#lineHead, lineEnd),
        this.#chunkStart + end,
        false,
      )
      at = end + 1
      this.#lineStart = this.#chunkStart + at
      this.#lineHead = EMPTY_BUFFER
    }
    if (this.#lineHead.length < MAX_HEAD_BYTES) this.#lineHead = copyJoined(this.#lineHead, chunk.subarray(at))
    if (at < chunk.length) this.#lastByte = chunk[chunk.length - 1] ?? NEWLINE
    this.#chunkStart += chunk.length
  }

  end(): void {
    this.#emit(this.#lineHead, this.#chunkStart, true)
  }

  #emit(head: Buffer, end: number, isUnterminated: boolean): void {
    const line = { offset: this.#lineStart, length: end - this.#lineStart }
    if (line.length > 0) this.#onLine({ line, head, lastByte: this.#lastByte, isUnterminated })
  }
}

/** Copies the bytes, because the next chunk overwrites this one. */
function copyJoined(head: Buffer, bytes: Buffer): Buffer {
  return Buffer.concat([head, bytes.subarray(0, MAX_HEAD_BYTES)])
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A crash left the line incomplete, or another program wrote it.
    return undefined
  }
}
