import { read, readSync } from 'node:fs'

const CHUNK_BYTES = 512 * 1024

/**
 * A file in chunks, the next one read while the last one is looked at. A chunk is good until the next but
 * one is asked for: two buffers serve for a file of any size.
 */
export async function* readChunks(
  descriptor: number,
  { size = CHUNK_BYTES, signal }: { readonly size?: number; readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<Buffer> {
  // A small file needs a small buffer, and one byte more to see that it ends.
  let [next, other]: [Buffer, Buffer | undefined] = [Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size + 1)), undefined]
  let position = 0
  let reading = fill(descriptor, next, 0)
  try {
    for (;;) {
      signal?.throwIfAborted()
      const chunk = await reading
      if (chunk.length === 0) return
      // Where a file ended it is not asked again: most are read in one chunk.
      if (chunk.length < next.length) return yield chunk
      position += chunk.length
      ;[next, other] = [other ?? Buffer.allocUnsafe(CHUNK_BYTES), next.length < CHUNK_BYTES ? undefined : next]
      reading = fill(descriptor, next, position)
      // Seen to below, or when the next chunk is asked for.
      reading.catch(() => {})
      yield chunk
    }
  } finally {
    await reading.catch(() => {})
  }
}

/** Full, unless the file ends: a read may give less than was asked for. */
async function fill(descriptor: number, buffer: Buffer, position: number): Promise<Buffer> {
  let length = 0
  while (length < buffer.length) {
    const bytes = await readAt(descriptor, buffer.subarray(length), position + length)
    if (bytes === 0) break
    length += bytes
  }
  return buffer.subarray(0, length)
}

/** So much is read before another thread would have begun. */
const SMALL_BYTES = 64 * 1024

/** Reads from a place of an open file; how many bytes came, none at its end. */
export async function readAt(descriptor: number, buffer: Uint8Array, position: number): Promise<number> {
  if (buffer.length <= SMALL_BYTES) return readSync(descriptor, buffer, 0, buffer.length, position)
  return new Promise((resolve, reject) => {
    read(descriptor, buffer, 0, buffer.length, position, (error, bytes) => {
      if (error === null) resolve(bytes)
      else reject(error)
    })
  })
}
