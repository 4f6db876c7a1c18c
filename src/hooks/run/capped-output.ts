import type { Readable } from 'node:stream'

/**
 * How much of a stream is kept. The rest is read and dropped, so that the writer neither blocks nor fills the memory.
 */
export const MAX_OUTPUT_BYTES = 1024 * 1024

const INITIAL_BYTES = 4096

export class CappedOutput {
  overflowed = false
  /** Resolves when no process holds the other end. */
  readonly closed: Promise<void>
  /** A single buffer, because a list of one-byte chunks would need hundreds of times their size. */
  #buffer = Buffer.alloc(0)
  #kept = 0

  constructor(stream: Readable) {
    stream.on('data', (chunk: Buffer) => this.#take(chunk))
    this.closed = new Promise((resolve) => {
      stream.once('close', resolve)
      // An error ends the stream; what came before still counts.
      stream.once('error', () => resolve())
    })
  }

  get text(): string {
    return new TextDecoder().decode(this.#buffer.subarray(0, this.#kept))
  }

  #take(chunk: Buffer): void {
    const room = MAX_OUTPUT_BYTES - this.#kept
    if (chunk.length > room) this.overflowed = true
    const kept = chunk.subarray(0, room)
    this.#grow(this.#kept + kept.length)
    this.#buffer.set(kept, this.#kept)
    this.#kept += kept.length
  }

  #grow(needed: number): void {
    if (needed <= this.#buffer.length) return
    const larger = Buffer.alloc(Math.min(MAX_OUTPUT_BYTES, Math.max(needed, 2 * this.#buffer.length, INITIAL_BYTES)))
    larger.set(this.#buffer.subarray(0, this.#kept))
    this.#buffer = larger
  }
}
