import { fstatSync, readSync } from 'node:fs'

/** Where a line stands in a file, without its newline. */
export interface LineRef {
  readonly offset: number
  readonly length: number
}

const WINDOW_BYTES = 4 * 1024 * 1024
const NEWLINE = 10
/** Of a line that is cut in two by a window, so much of the beginning is at hand. */
const HEAD_BYTES = 64 * 1024
/** What does not fit into one string cannot be parsed; nothing that is written here comes near it. */
const LONGEST_LINE = 256 * 1024 * 1024

/** A line as a scan meets it. */
export interface SeenLine {
  readonly line: LineRef
  /** Of a long one, maybe no more than its beginning. Only good until the next line. */
  readonly head: Buffer
  readonly lastByte: number
  /** No newline ends it. */
  readonly isOpen: boolean
}

/** Reads lines of an open file in large pieces. */
export class LineReader {
  readonly #descriptor: number
  #buffer = Buffer.alloc(0)
  #windowAt = 0
  #windowLength = 0

  constructor(descriptor: number) {
    this.#descriptor = descriptor
  }

  /** Goes over all lines in order, but for empty ones. */
  scan(take: (seen: SeenLine) => void): void {
    const buffer = Buffer.allocUnsafe(this.#windowBytes() + 1)
    const splitter = new LineSplitter(take)
    for (let at = 0; ; ) {
      const count = readSync(this.#descriptor, buffer, 0, buffer.length, at)
      if (count === 0) break
      splitter.add(buffer.subarray(0, count))
      at += count
    }
    splitter.end()
  }

  /** The value on a line; undefined where it is no JSON. Cheapest for lines in order. */
  parse({ offset, length }: LineRef): unknown {
    if (length > LONGEST_LINE) return undefined
    if (offset < this.#windowAt || offset + length > this.#windowAt + this.#windowLength) this.#read(offset, length)
    const start = offset - this.#windowAt
    return parseJson(this.#buffer.toString('utf8', start, Math.min(start + length, this.#windowLength)))
  }

  /** A small file needs no large window. */
  #windowBytes(): number {
    return Math.min(WINDOW_BYTES, fstatSync(this.#descriptor).size)
  }

  #read(offset: number, length: number): void {
    if (this.#buffer.length < length) this.#buffer = Buffer.allocUnsafe(Math.max(length, this.#windowBytes()))
    let count = 0
    while (count < length) {
      const more = readSync(this.#descriptor, this.#buffer, count, this.#buffer.length - count, offset + count)
      if (more === 0) break
      count += more
    }
    this.#windowAt = offset
    this.#windowLength = count
  }
}

const NOTHING: Buffer = Buffer.alloc(0)

/** Finds the lines in bytes that come piece by piece. */
class LineSplitter {
  readonly #take: (seen: SeenLine) => void
  /** The beginning of a line that goes on in the next piece. */
  #carried = NOTHING
  #lastByte = NEWLINE
  #lineAt = 0
  #base = 0

  constructor(take: (seen: SeenLine) => void) {
    this.#take = take
  }

  add(chunk: Buffer): void {
    let at = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, at)) {
      if (end > at) this.#lastByte = chunk[end - 1] ?? NEWLINE
      const rest = chunk.subarray(at, end)
      this.#give(this.#carried.length === 0 ? rest : joined(this.#carried, rest), this.#base + end, false)
      at = end + 1
      this.#lineAt = this.#base + at
      this.#carried = NOTHING
    }
    if (this.#carried.length < HEAD_BYTES) this.#carried = joined(this.#carried, chunk.subarray(at))
    if (at < chunk.length) this.#lastByte = chunk[chunk.length - 1] ?? NEWLINE
    this.#base += chunk.length
  }

  end(): void {
    this.#give(this.#carried, this.#base, true)
  }

  #give(head: Buffer, end: number, isOpen: boolean): void {
    const line = { offset: this.#lineAt, length: end - this.#lineAt }
    if (line.length > 0) this.#take({ line, head, lastByte: this.#lastByte, isOpen })
  }
}

/** A copy, because the next chunk is read over this one. */
function joined(carried: Buffer, piece: Buffer): Buffer {
  return Buffer.concat([carried, piece.subarray(0, HEAD_BYTES)])
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Torn by a crash, or no line of ours.
    return undefined
  }
}
