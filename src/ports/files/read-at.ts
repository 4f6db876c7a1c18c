import { read, readSync } from 'node:fs'

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
