import { createHash } from 'node:crypto'

const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,79}$/

/** Names that mean a device on Windows, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i

/** A file name without ending for an id that a model or a server chose: no separator, no dot, no surprise. */
export function safeFileName(id: string): string {
  if (PLAIN.test(id) && !DEVICE.test(id)) return id
  const readable = id.slice(0, 40).replace(/[^A-Za-z0-9_]+/g, '_')
  return `${readable}-${createHash('sha256').update(id).digest('hex').slice(0, 16)}`
}
