import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

const MAX_LOG_BYTES = 8 * 1024

/** Returns the last lines of a log; an empty text if there is none. */
export function readLogEnd(path: string): string {
  try {
    const descriptor = openSync(path, 'r')
    try {
      const { size } = fstatSync(descriptor)
      const buffer = Buffer.alloc(Math.min(size, MAX_LOG_BYTES))
      const count = readSync(descriptor, buffer, 0, buffer.length, size - buffer.length)
      const text = buffer.toString('utf8', 0, count)
      return size > MAX_LOG_BYTES ? text.slice(text.indexOf('\n') + 1) : text
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // The server has not written a log yet.
    return ''
  }
}
