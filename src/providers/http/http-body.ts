import type { Readable } from 'node:stream'

/** The bytes of an answer as they come. Leaving it early closes the connection. */
export class HttpBody implements AsyncIterable<Uint8Array> {
  readonly #stream: Readable
  readonly #limit: number

  constructor(stream: Readable, limit: number) {
    this.#stream = stream
    this.#limit = limit
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    const chunks = this.#stream[Symbol.asyncIterator]()
    let bytes = 0
    return {
      next: async () => {
        const { done, value } = await chunks.next()
        if (done === true) return { done: true, value: undefined }
        bytes += value.length
        if (bytes <= this.#limit) return { done: false, value }
        await this.cancel()
        throw new Error(`The answer is larger than ${this.#limit} bytes.`)
      },
      return: async () => {
        await this.cancel()
        return { done: true, value: undefined }
      },
    }
  }

  async cancel(): Promise<void> {
    // Whoever cancels no longer wants to hear that the connection broke.
    this.#stream.on('error', () => {}).destroy()
  }
}
