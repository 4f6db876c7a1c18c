import type { Readable } from 'node:stream'

/** What of a stream is kept; the rest is read and thrown away, so that its writer neither waits nor fills the memory. */
export const MAX_OUTPUT_BYTES = 1024 * 1024

export class CappedOutput {
  overflowed = false
  /** Settles when nobody holds the other end any more. */
  readonly closed: Promise<void>
  readonly #chunks: Buffer[] = []
  #kept = 0

  constructor(stream: Readable) {
    stream.on('data', (chunk: Buffer) => this.#take(chunk))
    this.closed = new Promise((resolve) => {
      stream.once('close', resolve)
      // A stream that breaks ends there; what came before still counts.
      stream.once('error', () => resolve())
    })
  }

  get text(): string {
    return new TextDecoder().decode(Buffer.concat(this.#chunks))
  }

  #take(chunk: Buffer): void {
    const room = MAX_OUTPUT_BYTES - this.#kept
    if (chunk.length > room) this.overflowed = true
    if (room === 0) return
    const kept = chunk.subarray(0, room)
    // A copy, because a slice would keep the whole buffer of the read alive.
    this.#chunks.push(kept.length === chunk.length ? chunk : Buffer.from(kept))
    this.#kept += kept.length
  }
}
