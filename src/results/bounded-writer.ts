import type { ResultFile } from './result-file.js'

const DEFAULT_BLOCK_BYTES = 1024 * 1024

/**
 * Appends to a file from two memory blocks: one fills while the other is written. Callers that await `append` are slowed
 * by a slow disk; for others a synchronous write applies when both blocks are full. A failed write ends the file, and
 * later bytes are dropped.
 */
export class BoundedWriter {
  readonly #file: ResultFile
  #filling: Buffer
  #filled = 0
  #spare: Buffer
  /** File position of the block that is being filled. */
  #position = 0
  #writing: Promise<void> | undefined
  /** Shared by all waiting callers, so that a million tiny chunks do not create a million promises. */
  #room: { readonly promise: Promise<void>; readonly open: () => void } | undefined
  #failure: { readonly at: number; readonly error: unknown } | undefined

  constructor(file: ResultFile, blockBytes = DEFAULT_BLOCK_BYTES) {
    this.#file = file
    this.#filling = Buffer.allocUnsafe(blockBytes)
    this.#spare = Buffer.allocUnsafe(blockBytes)
  }

  /** Copies the chunk. Resolves when there is room for the next. */
  append(chunk: Uint8Array): Promise<void> {
    for (let rest = chunk; rest.length > 0 && this.#failure === undefined; ) {
      const fitting = rest.subarray(0, this.#filling.length - this.#filled)
      this.#filling.set(fitting, this.#filled)
      this.#filled += fitting.length
      rest = rest.subarray(fitting.length)
      if (this.#writing === undefined) this.#writing = this.#writeBlock()
      else if (this.#filled === this.#filling.length) this.#writeBlockNow()
    }
    if (this.#filled < this.#filling.length / 2) return HAS_ROOM
    this.#room ??= newRoom()
    return this.#room.promise
  }

  /** Flushes and closes the file. Returns the number of bytes written, and the problem if some were lost. Never rejects. */
  async close(): Promise<{ readonly writtenBytes: number; readonly error?: unknown }> {
    while (this.#writing !== undefined) await this.#writing
    const failure = this.#failure
    const writtenBytes = failure?.at ?? this.#position
    try {
      if (failure !== undefined) await this.#file.truncate(failure.at).finally(() => this.#file.close())
      else await this.#file.close()
    } catch (error) {
      return { writtenBytes, error: failure?.error ?? error }
    }
    return failure === undefined ? { writtenBytes } : { writtenBytes, error: failure.error }
  }

  async #writeBlock(): Promise<void> {
    const block = this.#filling
    const { bytes, position } = this.#takeBytes()
    this.#filling = this.#spare
    try {
      await this.#file.write(bytes, position)
    } catch (error) {
      this.#fail(position, error)
    }
    this.#spare = block
    this.#writing = this.#filled > 0 ? this.#writeBlock() : undefined
    this.#room?.open()
    this.#room = undefined
  }

  /** Need not wait for the pending write, because writes are positioned. */
  #writeBlockNow(): void {
    const { bytes, position } = this.#takeBytes()
    try {
      this.#file.writeNow(bytes, position)
    } catch (error) {
      this.#fail(position, error)
    }
  }

  #takeBytes(): { readonly bytes: Buffer; readonly position: number } {
    const bytes = this.#filling.subarray(0, this.#filled)
    const position = this.#position
    this.#position += bytes.length
    this.#filled = 0
    return { bytes, position }
  }

  #fail(at: number, error: unknown): void {
    if (this.#failure === undefined || at < this.#failure.at) this.#failure = { at, error }
    this.#filled = 0
  }
}

const HAS_ROOM = Promise.resolve()

function newRoom(): { promise: Promise<void>; open: () => void } {
  let open = (): void => {}
  const promise = new Promise<void>((resolve) => {
    open = resolve
  })
  return { promise, open }
}
