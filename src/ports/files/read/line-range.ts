import { createHash, type Hash } from 'node:crypto'
import type { FileLine, FileLines, LineOptions } from '../../../contract/ports/files.js'

/** Collects a range of lines from the chunks of a file, and reports when it has enough. */
export class LineRange {
  readonly #options: LineOptions
  readonly #findEnd: FindLineEnd
  /** The number of the current line, from 1. */
  #lineNumber = 1
  #position = 0
  #start: number | undefined
  #end = 0
  #lines: FileLine[] = []
  #keptBytes = 0
  #hash: Hash = createHash('sha256')
  /** The current line, if its end has not been read yet. */
  #open: { keptChunks: Buffer[]; length: number; hashBefore: Hash; start: number } | undefined
  #endedBy: FileLines['endedBy'] = 'end'
  #isLastLineOpen = false

  constructor(options: LineOptions, findEnd: FindLineEnd) {
    this.#options = options
    this.#findEnd = findEnd
  }

  /** Processes the next chunk. Returns whether another one is needed. */
  take(chunk: Buffer): boolean {
    let at = this.#skip(chunk)
    while (at < chunk.length) {
      at = this.#addWholeLines(chunk, at)
      if (at === chunk.length) break
      this.#start ??= this.#position + at
      if (this.#lines.length >= this.#options.limit) return this.#stop('limit')
      const end = this.#findEnd(chunk, at)
      const isWhole = end !== -1
      const piece = chunk.subarray(at, isWhole ? end : chunk.length)
      if (!this.#addPiece(piece, this.#position + at, isWhole)) return this.#stop('maxBytes')
      at += piece.length
    }
    this.#position += chunk.length
    return true
  }

  /** Adds complete lines in bulk, because most lines are short and within one chunk. */
  #addWholeLines(chunk: Buffer, from: number): number {
    if (this.#open !== undefined) return from
    const { limit, maxLineBytes } = this.#options
    const newlineBytes = getNewlineLength(this.#findEnd)
    const ends: number[] = []
    let at = from
    while (at < chunk.length && this.#lines.length + ends.length < limit) {
      const end = this.#findEnd(chunk, at)
      const length = end - at - newlineBytes
      if (end === -1 || length > maxLineBytes || this.#exceedsLimit(length, ends.length)) break
      this.#keptBytes += length
      ends.push(end)
      at = end
    }
    if (at === from) return from
    this.#keepLines(
      chunk.subarray(from, at),
      ends.map((end) => end - from),
      newlineBytes,
    )
    this.#start ??= this.#position + from
    this.#end = this.#position + at
    this.#lineNumber += ends.length
    this.#isLastLineOpen = false
    return at
  }

  #keepLines(bytes: Buffer, ends: readonly number[], newlineBytes: number): void {
    this.#hash.update(bytes)
    // Copied, because the memory of the chunk is reused.
    const copy = Uint8Array.prototype.slice.call(bytes)
    let start = 0
    for (const end of ends) {
      this.#lines.push({ bytes: copy.subarray(start, end - newlineBytes), cutBytes: 0 })
      start = end
    }
  }

  /** Returns the result after the file has ended or enough lines were collected. */
  finish(): Pick<FileLines, 'lines' | 'hasMore' | 'endedBy' | 'totalLines' | 'bytes' | 'contentHash'> {
    const endedBy = this.#endedBy
    if (endedBy === 'end' && this.#open !== undefined) this.#closeLine(0)
    const start = this.#start ?? this.#position
    return {
      lines: this.#lines,
      hasMore: endedBy !== 'end',
      endedBy,
      ...(endedBy === 'end' && { totalLines: this.#lineNumber - 1 + (this.#isLastLineOpen ? 1 : 0) }),
      bytes: { start, end: Math.max(start, this.#end) },
      contentHash: this.#hash.digest('hex'),
    }
  }

  #stop(by: 'limit' | 'maxBytes'): false {
    this.#endedBy = by
    return false
  }

  /** Skips lines before the range. Returns where the range starts, or the end of the chunk. */
  #skip(chunk: Buffer): number {
    const { offset } = this.#options
    let at = 0
    while (this.#lineNumber < offset) {
      const end = this.#findEnd(chunk, at)
      if (end === -1) {
        this.#isLastLineOpen = at < chunk.length
        return chunk.length
      }
      this.#lineNumber++
      at = end
      this.#isLastLineOpen = false
    }
    return at
  }

  /** Adds a piece of a line. If the line exceeds the size limit, drops it and returns false. */
  #addPiece(piece: Buffer, position: number, isWhole: boolean): boolean {
    this.#open ??= { keptChunks: [], length: 0, hashBefore: this.#hash, start: position }
    const openLine = this.#open
    if (!isWhole && openLine.hashBefore === this.#hash) openLine.hashBefore = this.#hash.copy()
    const remainingBytes = this.#getMaxLineBytes() - Math.min(openLine.length, this.#getMaxLineBytes())
    // Copied, because the memory of the chunk is reused.
    if (remainingBytes > 0) openLine.keptChunks.push(Buffer.from(piece.subarray(0, remainingBytes)))
    openLine.length += piece.length
    if (this.#exceedsLimit(openLine.length - (isWhole ? getNewlineLength(this.#findEnd) : 0))) {
      this.#hash = openLine.hashBefore
      this.#end = openLine.start
      this.#open = undefined
      return false
    }
    this.#hash.update(piece)
    this.#end = position + piece.length
    if (isWhole) {
      this.#closeLine(getNewlineLength(this.#findEnd))
      this.#lineNumber++
    }
    this.#isLastLineOpen = !isWhole
    return true
  }

  /** Returns how many bytes of a line may be kept, including its newline. */
  #getMaxLineBytes(): number {
    return this.#options.maxLineBytes + getNewlineLength(this.#findEnd)
  }

  /** Whether a line of this length would exceed the size limit, after the kept and the pending lines. */
  #exceedsLimit(length: number, pendingLines = 0): boolean {
    if (this.#lines.length + pendingLines === 0) return false
    return this.#keptBytes + Math.min(length, this.#options.maxLineBytes) > this.#options.maxBytes
  }

  #closeLine(newlineBytes: number): void {
    const openLine = this.#open
    if (openLine === undefined) return
    const length = openLine.length - newlineBytes
    const [first] = openLine.keptChunks
    const keptContent =
      openLine.keptChunks.length === 1 && first !== undefined ? first : Buffer.concat(openLine.keptChunks)
    const bytes = keptContent.subarray(0, Math.min(length, this.#options.maxLineBytes))
    this.#lines.push({ bytes, cutBytes: length - bytes.length })
    this.#keptBytes += bytes.length
    this.#open = undefined
  }
}

const NEWLINE = 0x0a

/** Returns the position after the next newline of a chunk; -1 if there is none. */
export type FindLineEnd = (chunk: Buffer, from: number) => number

/**
 * Chooses how line ends are found, by the byte order mark. Chunks start at even positions, so that a two-byte newline is never
 * split.
 */
export function chooseLineEndFinder(head: Uint8Array): FindLineEnd {
  if (head[0] === 0xff && head[1] === 0xfe) return findUtf16LittleNewline
  if (head[0] === 0xfe && head[1] === 0xff) return findUtf16BigNewline
  return findByteNewline
}

function findByteNewline(chunk: Buffer, from: number): number {
  return chunk.indexOf(NEWLINE, from) + 1 || -1
}

function findUtf16LittleNewline(chunk: Buffer, from: number): number {
  for (let at = chunk.indexOf(NEWLINE, from); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) {
    if (at % 2 === 0 && chunk[at + 1] === 0) return at + 2
  }
  return -1
}

function findUtf16BigNewline(chunk: Buffer, from: number): number {
  for (let at = chunk.indexOf(NEWLINE, from); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) {
    if (at % 2 === 1 && chunk[at - 1] === 0) return at + 1
  }
  return -1
}

function getNewlineLength(findEnd: FindLineEnd): number {
  return findEnd === findByteNewline ? 1 : 2
}
