import type { Readable } from 'node:stream'

/**
 * How much of a stream is kept. The rest is read and dropped, so that the writer neither blocks nor fills the memory.
 */
export const MAX_OUTPUT_BYTES = 1024 * 1024

const INITIAL_BYTES = 4096

/** Collects the start of a stream, up to the limit. */
export class CappedOutput {
  hasOverflowed = false
  /** Resolves when the stream is closed: no process holds its other end. */
  readonly closed: Promise<void>
  /** A single buffer, because a list of one-byte chunks would need hundreds of times their size. */
  #buffer = Buffer.alloc(0)
  #keptBytes = 0

  constructor(stream: Readable) {
    stream.on('data', (chunk: Buffer) => this.#take(chunk))
    this.closed = new Promise((resolve) => {
      stream.once('close', resolve)
      // An error ends the stream; the output received before it still counts.
      stream.once('error', () => resolve())
    })
  }

  get text(): string {
    return new TextDecoder().decode(this.#buffer.subarray(0, this.#keptBytes))
  }

  #take(chunk: Buffer): void {
    const freeBytes = MAX_OUTPUT_BYTES - this.#keptBytes
    if (chunk.length > freeBytes) this.hasOverflowed = true
    const keptPart = chunk.subarray(0, freeBytes)
    this.#grow(this.#keptBytes + keptPart.length)
    this.#buffer.set(keptPart, this.#keptBytes)
    this.#keptBytes += keptPart.length
  }

  #grow(neededBytes: number): void {
    if (neededBytes <= this.#buffer.length) return
    const largerBuffer = Buffer.alloc(
      Math.min(MAX_OUTPUT_BYTES, Math.max(neededBytes, 2 * this.#buffer.length, INITIAL_BYTES)),
    )
    largerBuffer.set(this.#buffer.subarray(0, this.#keptBytes))
    this.#buffer = largerBuffer
  }
}
