import { read, readSync } from 'node:fs'

const CHUNK_BYTES = 512 * 1024

/**
 * Reads a file in chunks, reading ahead by one. A chunk is valid only until the next one is requested, because two
 * buffers are reused for the whole file.
 */
export async function* readChunks(
  descriptor: number,
  { size = CHUNK_BYTES, signal }: { readonly size?: number; readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<Buffer> {
  // A small file needs only a small buffer. One extra byte detects its end.
  let [nextBuffer, spareBuffer]: [Buffer, Buffer | undefined] = [
    Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size + 1)),
    undefined,
  ]
  let position = 0
  let nextChunk = fillBuffer(descriptor, nextBuffer, 0)
  try {
    for (;;) {
      signal?.throwIfAborted()
      const chunk = await nextChunk
      if (chunk.length === 0) return
      // A short chunk is the last one, so no further read is needed.
      if (chunk.length < nextBuffer.length) return yield chunk
      position += chunk.length
      ;[nextBuffer, spareBuffer] = [
        spareBuffer ?? Buffer.allocUnsafe(CHUNK_BYTES),
        nextBuffer.length < CHUNK_BYTES ? undefined : nextBuffer,
      ]
      nextChunk = fillBuffer(descriptor, nextBuffer, position)
      // Prevents an unhandled rejection. The error is thrown when the next chunk is requested.
      nextChunk.catch(() => {})
      yield chunk
    }
  } finally {
    await nextChunk.catch(() => {})
  }
}

/** Fills the buffer unless the file ends, because one read may return less than requested. */
async function fillBuffer(descriptor: number, buffer: Buffer, position: number): Promise<Buffer> {
  let length = 0
  while (length < buffer.length) {
    const bytes = await readAt(descriptor, buffer.subarray(length), position + length)
    if (bytes === 0) break
    length += bytes
  }
  return buffer.subarray(0, length)
}

/** Up to this size, a synchronous read is faster than the thread pool. */
const MAX_SYNC_BYTES = 64 * 1024

/** Reads from a position of an open file. Returns the number of bytes read, which is 0 at the end. */
export async function readAt(descriptor: number, buffer: Uint8Array, position: number): Promise<number> {
  if (buffer.length <= MAX_SYNC_BYTES) return readSync(descriptor, buffer, 0, buffer.length, position)
  return new Promise((resolve, reject) => {
    read(descriptor, buffer, 0, buffer.length, position, (error, bytes) => {
      if (error === null) resolve(bytes)
      else reject(error)
    })
  })
}
