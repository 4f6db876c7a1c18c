import type { FileHandle } from 'node:fs/promises'

/** All bytes of an opened file; undefined where there are more than `limit`, whatever size it claims to have. */
export async function readAtMost(handle: Pick<FileHandle, 'read'>, limit: number): Promise<Buffer | undefined> {
  const buffer = Buffer.allocUnsafe(limit + 1)
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, null)
    if (bytesRead === 0) return Buffer.from(buffer.subarray(0, length))
    length += bytesRead
  }
  return undefined
}
