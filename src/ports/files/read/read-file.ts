import { closeSync } from 'node:fs'
import { FileError } from '../../../contract/ports/file-error.js'
import type { FileReadingLimits, GlobLimits, ReadFile, ReadOptions } from '../../../contract/ports/files.js'
import { withFileErrors } from '../file-failure.js'
import { readAt } from './chunks.js'
import { readSettled } from './known-file.js'
import { type OpenedFile, openRegular, withRegularFile } from './open-regular.js'

const DEFAULT_MAX_BYTES = 512 * 1024 ** 2
const CHUNK_BYTES = 64 * 1024
const MIN_STREAMED_BYTES = 256 * 1024

/** Reads a file or a part of it into memory. */
export function readFile(path: string, options: ReadOptions = {}): Promise<ReadFile> {
  return withRegularFile(path, options.realPath, async ({ descriptor, stat, realPath }) => {
    const { start = 0, end = Number.POSITIVE_INFINITY, maxBytes = DEFAULT_MAX_BYTES } = options
    const byteCount = Math.max(0, Math.min(stat.size, end) - start)
    if (byteCount > maxBytes) throw createTooLargeError(path, maxBytes)
    const read = () => readBytes(path, descriptor, byteCount, options)
    const isWhole = start === 0 && end >= stat.size
    return { content: await (isWhole ? readSettled(descriptor, read) : read()), stat, realPath }
  })
}

async function readBytes(path: string, descriptor: number, size: number, options: ReadOptions): Promise<Buffer> {
  const { start = 0, end = Number.POSITIVE_INFINITY, maxBytes = DEFAULT_MAX_BYTES, signal } = options
  const chunks: Buffer[] = []
  let length = 0
  // The reported size is not reliable: some files report none, and some grow.
  let nextBuffer = Buffer.allocUnsafe(size + 1)
  for (;;) {
    signal?.throwIfAborted()
    const byteCount = Math.min(nextBuffer.length, end - start - length)
    const bytesRead = await readAt(descriptor, nextBuffer.subarray(0, byteCount), start + length)
    if (bytesRead === 0) return joinChunks(chunks)
    chunks.push(nextBuffer.subarray(0, bytesRead))
    length += bytesRead
    if (length > maxBytes) throw createTooLargeError(path, maxBytes)
    nextBuffer = bytesRead < nextBuffer.length ? nextBuffer.subarray(bytesRead) : Buffer.allocUnsafe(CHUNK_BYTES)
  }
}

/** Streams a file or a part of it. Callers may keep the chunks. */
export async function* streamFile(path: string, options: ReadOptions = {}): AsyncIterable<Uint8Array> {
  const { start = 0, end = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY, signal } = options
  const file: OpenedFile = await withFileErrors(path, async () => openRegular(path, options.realPath))
  try {
    for (let at = start; at < end; ) {
      signal?.throwIfAborted()
      const buffer = Buffer.allocUnsafe(Math.min(MIN_STREAMED_BYTES, end - at))
      const bytesRead = await withFileErrors(path, () => readAt(file.descriptor, buffer, at))
      if (bytesRead === 0) return
      at += bytesRead
      if (at - start > maxBytes) throw createTooLargeError(path, maxBytes)
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    closeSync(file.descriptor)
  }
}

function joinChunks(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)
}

function createTooLargeError(path: string, maxBytes: number): FileError {
  return new FileError('too_large', path, `${path} is larger than ${maxBytes} bytes; read a part of it.`)
}

export const FILE_READING_LIMITS: FileReadingLimits = { maxTokens: 25_000, maxSizeBytes: 256 * 1024 }
export const DEFAULT_GLOB_LIMITS: GlobLimits = { maxResults: 100 }
