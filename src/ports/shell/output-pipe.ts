import { readSync } from 'node:fs'
import { type ConnectOpts, Socket, type SocketConstructorOpts } from 'node:net'

const BUFFER_BYTES = 64 * 1024
/** At least the capacity of a pipe. The limit keeps a process that prints endlessly from blocking `finish`. */
const MAX_REST_BYTES = 1024 * 1024

/** Receives one chunk at a time. When it resolves, the next chunk is read into the same memory. */
export type TakeChunk = (chunk: Uint8Array) => Promise<void>

/** Reads a pipe through a single buffer. The next chunk is read only after the previous one was accepted. */
export class OutputPipe {
  /** Resolves when every writer has closed the pipe and everything was passed on, or when the pipe was closed here. */
  readonly ended: Promise<void>
  readonly #descriptor: number
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  readonly #socket: Socket
  readonly #take: TakeChunk
  #taking: Promise<void> = Promise.resolve()
  #hasEnded = false
  #isFinishing = false

  /** Takes over a non-blocking descriptor and closes it at the end. */
  constructor(descriptor: number, take: TakeChunk) {
    this.#descriptor = descriptor
    this.#take = take
    const options: SocketConstructorOpts & ConnectOpts = {
      fd: descriptor,
      readable: true,
      writable: false,
      onread: { buffer: this.#buffer, callback: (bytes) => this.#onRead(bytes) },
    }
    this.#socket = new Socket(options)
    this.ended = new Promise((resolve) => {
      const end = (): void => {
        this.#hasEnded = true
        void this.#taking.then(() => this.#socket.destroy())
      }
      this.#socket.once('end', end)
      // A pipe that can no longer be read counts as ended.
      this.#socket.once('error', end)
      this.#socket.once('close', () => void this.#taking.then(resolve))
    })
    this.#socket.resume()
  }

  /** Reads what is in the pipe now, without waiting for processes that still hold it open, and closes it. */
  async finish(): Promise<void> {
    this.#isFinishing = true
    this.#socket.pause()
    await this.#taking
    for (let takenBytes = 0; !this.#hasEnded && takenBytes < MAX_REST_BYTES; ) {
      const bytes = this.#readNow()
      if (bytes === 0) break
      takenBytes += bytes
      await this.#take(this.#buffer.subarray(0, bytes))
    }
    this.#socket.destroy()
    await this.ended
  }

  #onRead(bytes: number): boolean {
    this.#taking = this.#take(this.#buffer.subarray(0, bytes)).then(() => {
      if (!this.#isFinishing) this.#socket.resume()
    })
    return false
  }

  #readNow(): number {
    try {
      return readSync(this.#descriptor, this.#buffer)
    } catch {
      // EAGAIN means that the pipe is empty but a process still holds it open.
      return 0
    }
  }
}
