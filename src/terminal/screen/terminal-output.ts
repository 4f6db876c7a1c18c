import { writeSync } from 'node:fs'

/** The number of attempts, 1 ms apart, to write the last bytes while the terminal does not read. */
const MAX_FINAL_ATTEMPTS = 200

/** Writes to the terminal without blocking: a slow terminal must not stop the work. */
export class TerminalOutput {
  readonly #stream: NodeJS.WriteStream
  readonly #onReady: () => void
  #isWaiting = false

  /** `onReady` is called when the terminal has read what was written. */
  constructor(stream: NodeJS.WriteStream, onReady: () => void) {
    this.#stream = stream
    this.#onReady = onReady
    setBlocking(stream, false)
    stream.on('drain', this.#drain)
    // A closed terminal is reported by a signal.
    stream.on('error', ignore)
  }

  /** Whether the terminal still has to read earlier output. */
  get isWaiting(): boolean {
    return this.#isWaiting
  }

  write(text: string): void {
    if (text !== '' && !this.#stream.write(text)) this.#isWaiting = true
  }

  /** Writes at once, even from an exit handler. */
  writeLast(text: string): void {
    if (this.#stream.writableLength === 0) setBlocking(this.#stream, true)
    let bytes = Buffer.from(text)
    for (let attempt = 0; bytes.length > 0 && attempt < MAX_FINAL_ATTEMPTS; attempt++) {
      try {
        bytes = bytes.subarray(writeSync(descriptorOf(this.#stream), bytes))
      } catch (error) {
        // EAGAIN: the terminal is busy. After any other error it cannot be written to.
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
      }
    }
  }

  close(): void {
    this.#stream.off('drain', this.#drain)
  }

  readonly #drain = (): void => {
    this.#isWaiting = false
    this.#onReady()
  }
}

/** Returns the descriptor of a terminal stream, which its type does not declare. */
export function descriptorOf(stream: NodeJS.WriteStream): number {
  return 'fd' in stream && typeof stream.fd === 'number' ? stream.fd : 1
}

/** Reads the size from the terminal itself: the properties of the stream change later, by a signal. */
export function readSize(stream: NodeJS.WriteStream): { columns: number; rows: number } {
  const size: [number, number] = [0, 0]
  const { _handle: handle } = stream as { _handle?: { getWindowSize?: (size: [number, number]) => number } }
  const isRead = handle?.getWindowSize?.(size) === 0
  const [columns, rows] = isRead ? size : [stream.columns, stream.rows]
  return { columns: Math.max(1, columns || 80), rows: Math.max(2, rows || 24) }
}

function ignore(): void {}

function setBlocking(stream: object, isBlocking: boolean): void {
  const { _handle: handle } = stream as { _handle?: { setBlocking?: (isBlocking: boolean) => void } }
  handle?.setBlocking?.(isBlocking)
}
