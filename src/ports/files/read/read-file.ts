import { closeSync } from 'node:fs'
import { FileError } from '../../../contract/ports/file-error.js'
import type { FileReadingLimits, GlobLimits, ReadFile, ReadOptions } from '../../../contract/ports/files.js'
import { onFile } from '../file-failure.js'
import { readAt } from './chunks.js'
import { readSettled } from './known-file.js'
import { type OpenedFile, openRegular, withRegular } from './open-regular.js'

const DEFAULT_MAX_BYTES = 512 * 1024 ** 2
const CHUNK_BYTES = 64 * 1024
const STREAM_BYTES = 256 * 1024

/** Reads a file or a part of it into memory. */
export function readFile(path: string, options: ReadOptions = {}): Promise<ReadFile> {
  return withRegular(path, options.realPath, async ({ descriptor, stat, realPath }) => {
    const { start = 0, end = Number.POSITIVE_INFINITY, maxBytes = DEFAULT_MAX_BYTES } = options
    const wanted = Math.max(0, Math.min(stat.size, end) - start)
    if (wanted > maxBytes) throw tooLarge(path, maxBytes)
    const read = () => readBytes(path, descriptor, wanted, options)
    const isWhole = start === 0 && end >= stat.size
    return { content: await (isWhole ? readSettled(descriptor, read) : read()), stat, realPath }
  })
}

async function readBytes(path: string, descriptor: number, size: number, options: ReadOptions): Promise<Buffer> {
  const { start = 0, end = Number.POSITIVE_INFINITY, maxBytes = DEFAULT_MAX_BYTES, signal } = options
  const chunks: Buffer[] = []
  let length = 0
  // The size is not reliable: some files report none and some grow.
  let next = Buffer.allocUnsafe(size + 1)
  for (;;) {
    signal?.throwIfAborted()
    const wanted = Math.min(next.length, end - start - length)
    const bytesRead = await readAt(descriptor, next.subarray(0, wanted), start + length)
    if (bytesRead === 0) return joined(chunks)
    chunks.push(next.subarray(0, bytesRead))
    length += bytesRead
    if (length > maxBytes) throw tooLarge(path, maxBytes)
    next = bytesRead < next.length ? next.subarray(bytesRead) : Buffer.allocUnsafe(CHUNK_BYTES)
  }
}

/** Streams a file or a part of it. Callers may keep the pieces. */
export async function* streamFile(path: string, options: ReadOptions = {}): AsyncIterable<Uint8Array> {
  const { start = 0, end = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY, signal } = options
  const file: OpenedFile = await onFile(path, async () => openRegular(path, options.realPath))
  try {
    for (let at = start; at < end; ) {
      signal?.throwIfAborted()
      const buffer = Buffer.allocUnsafe(Math.min(STREAM_BYTES, end - at))
      const bytesRead = await onFile(path, () => readAt(file.descriptor, buffer, at))
      if (bytesRead === 0) return
      at += bytesRead
      if (at - start > maxBytes) throw tooLarge(path, maxBytes)
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    closeSync(file.descriptor)
  }
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [only] = chunks
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)
}

function tooLarge(path: string, maxBytes: number): FileError {
  return new FileError('too_large', path, `${path} is larger than ${maxBytes} bytes; read a part of it.`)
}

export const FILE_READING_LIMITS: FileReadingLimits = { maxTokens: 25_000, maxSizeBytes: 256 * 1024 }
export const GLOB_LIMITS: GlobLimits = { maxResults: 100 }
