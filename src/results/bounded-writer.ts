import type { ResultFile } from './result-file.js'

const DEFAULT_BLOCK_BYTES = 1024 * 1024

/**
 * Appends to a file from two memory blocks: one fills while the other is written. Callers that await `append` wait for a
 * slow disk. For callers that do not, a block that is full while the other is still being written is written
 * synchronously. A failed write ends the file, and later bytes are dropped.
 */
export class BoundedWriter {
  readonly #file: ResultFile
  #currentBlock: Buffer
  #filledBytes = 0
  #spareBlock: Buffer
  /** File position of the block that is being filled. */
  #position = 0
  #pendingWrite: Promise<void> | undefined
  /** Settled at the end of the pending write. Shared, so that a million tiny chunks do not create a million promises. */
  #writeEnd: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined
  #failure: { readonly position: number; readonly error: unknown } | undefined

  constructor(file: ResultFile, blockBytes = DEFAULT_BLOCK_BYTES) {
    this.#file = file
    this.#currentBlock = Buffer.allocUnsafe(blockBytes)
    this.#spareBlock = Buffer.allocUnsafe(blockBytes)
  }

  /** Copies the chunk. Resolves at once if half of the block is free, else at the end of the pending write. */
  append(chunk: Uint8Array): Promise<void> {
    for (let remainingBytes = chunk; remainingBytes.length > 0 && this.#failure === undefined; ) {
      const fittingBytes = remainingBytes.subarray(0, this.#currentBlock.length - this.#filledBytes)
      this.#currentBlock.set(fittingBytes, this.#filledBytes)
      this.#filledBytes += fittingBytes.length
      remainingBytes = remainingBytes.subarray(fittingBytes.length)
      if (this.#pendingWrite === undefined) this.#pendingWrite = this.#writeBlock()
      else if (this.#filledBytes === this.#currentBlock.length) this.#writeBlockNow()
    }
    if (this.#filledBytes < this.#currentBlock.length / 2) return RESOLVED_PROMISE
    this.#writeEnd ??= createDeferred()
    return this.#writeEnd.promise
  }

  /** Flushes and closes the file. Returns the number of bytes written, and the error of a failed write or close. Never rejects. */
  async close(): Promise<{ readonly writtenBytes: number; readonly error?: unknown }> {
    while (this.#pendingWrite !== undefined) await this.#pendingWrite
    const failure = this.#failure
    const writtenBytes = failure?.position ?? this.#position
    try {
      if (failure !== undefined) await this.#file.truncate(failure.position).finally(() => this.#file.close())
      else await this.#file.close()
    } catch (error) {
      return { writtenBytes, error: failure?.error ?? error }
    }
    return failure === undefined ? { writtenBytes } : { writtenBytes, error: failure.error }
  }

  async #writeBlock(): Promise<void> {
    const block = this.#currentBlock
    const { bytes, position } = this.#takeBytes()
    this.#currentBlock = this.#spareBlock
    try {
      await this.#file.write(bytes, position)
    } catch (error) {
      this.#fail(position, error)
    }
    this.#spareBlock = block
    this.#pendingWrite = this.#filledBytes > 0 ? this.#writeBlock() : undefined
    this.#writeEnd?.resolve()
    this.#writeEnd = undefined
  }

  /** Writes the current block synchronously. It need not wait for the pending write, because writes have positions. */
  #writeBlockNow(): void {
    const { bytes, position } = this.#takeBytes()
    try {
      this.#file.writeNow(bytes, position)
    } catch (error) {
      this.#fail(position, error)
    }
  }

  #takeBytes(): { readonly bytes: Buffer; readonly position: number } {
    const bytes = this.#currentBlock.subarray(0, this.#filledBytes)
    const position = this.#position
    this.#position += bytes.length
    this.#filledBytes = 0
    return { bytes, position }
  }

  #fail(position: number, error: unknown): void {
    if (this.#failure === undefined || position < this.#failure.position) this.#failure = { position, error }
    this.#filledBytes = 0
  }
}

const RESOLVED_PROMISE = Promise.resolve()

function createDeferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((resolvePromise) => {
    resolve = resolvePromise
  })
  return { promise, resolve }
}
