import type { Readable } from 'node:stream'

const NEWLINE = 10
/** The SDKs join a line anew with each piece that comes of it, which takes ever longer and hears no interruption. */
const MAX_LINE_BYTES = 16_000_000

/** The bytes of an answer as they come. Leaving it early closes the connection. */
export class HttpBody implements AsyncIterable<Uint8Array> {
  readonly #stream: Readable
  readonly #limit: number
  readonly #lineLimit: number

  constructor(stream: Readable, limit: number, lineLimit = MAX_LINE_BYTES) {
    this.#stream = stream
    this.#limit = limit
    this.#lineLimit = lineLimit
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    const chunks = this.#stream[Symbol.asyncIterator]()
    let bytes = 0
    let lineBytes = 0
    return {
      next: async () => {
        const { done, value } = await chunks.next()
        if (done === true) return { done: true, value: undefined }
        bytes += value.length
        const end = value.lastIndexOf(NEWLINE)
        lineBytes = end === -1 ? lineBytes + value.length : value.length - end - 1
        if (bytes <= this.#limit && lineBytes <= this.#lineLimit) return { done: false, value }
        await this.cancel()
        const [what, limit] =
          bytes > this.#limit ? ['The answer', this.#limit] : ['A line of the answer', this.#lineLimit]
        throw new Error(`${what} is larger than ${limit} bytes.`)
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
