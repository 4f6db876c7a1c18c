import { constants } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'

export type TextFile =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly isFolder?: boolean }

/** Far more than settings need. A cloned project must not make Haft read a disk image. */
const DEFAULT_MAX_BYTES = 1024 * 1024

/** Reads a small text file. A pipe, a device or a dangling link does not block and does not count as absent. */
export async function readTextFile(path: string, maxBytes = DEFAULT_MAX_BYTES): Promise<TextFile> {
  let handle: FileHandle
  try {
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    return explainOpenError(path, error, maxBytes)
  }
  try {
    return await readHandle(handle, maxBytes)
  } catch (error) {
    return { kind: 'failed', reason: `cannot be read (${codeOf(error)})` }
  } finally {
    await handle.close()
  }
}

/** Reads an open file. Checks the handle: the path may refer to another file by now. */
export async function readHandle(
  handle: FileHandle,
  maxBytes = DEFAULT_MAX_BYTES,
): Promise<Exclude<TextFile, { kind: 'absent' }>> {
  const stats = await handle.stat()
  if (!stats.isFile())
    return { kind: 'failed', reason: 'is not a regular file', ...(stats.isDirectory() && { isFolder: true }) }
  const bytes = stats.size > maxBytes ? undefined : await readAtMost(handle, maxBytes)
  if (bytes === undefined) return { kind: 'failed', reason: `is larger than ${maxBytes} bytes` }
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    // The decoder's error has no details.
    return { kind: 'failed', reason: 'is not UTF-8 text' }
  }
}

async function explainOpenError(path: string, error: unknown, maxBytes: number): Promise<TextFile> {
  const code = codeOf(error)
  if (code !== 'ENOENT' && code !== 'ENOTDIR') return { kind: 'failed', reason: `cannot be read (${code})` }
  const stats = await lstat(path).catch(() => undefined)
  if (stats === undefined) return { kind: 'absent' }
  // If the path is not a link, another process has just created the file, so it is read again.
  return stats.isSymbolicLink() ? { kind: 'failed', reason: 'is a dangling link' } : readTextFile(path, maxBytes)
}

export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : String(error)
}

/** Reads all bytes of a file; undefined if there are more than `limit`, whatever size the file reports. */
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
