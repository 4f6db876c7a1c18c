const FIRST_CAPACITY = 4 * 1024

/** Bytes in one piece of memory: a list of the chunks would cost a hundred times their size where they are tiny. */
export class ByteCollector {
  #buffer = Buffer.alloc(0)
  #length = 0

  push(chunk: Uint8Array): void {
    const needed = this.#length + chunk.length
    if (needed > this.#buffer.length) this.#grow(needed)
    this.#buffer.set(chunk, this.#length)
    this.#length = needed
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  #grow(needed: number): void {
    const larger = Buffer.alloc(Math.max(needed, this.#buffer.length * 2, FIRST_CAPACITY))
    this.bytes.copy(larger)
    this.#buffer = larger
  }
}
