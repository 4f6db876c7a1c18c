export interface IndexEntry {
  readonly path: string
  readonly mode: number
  readonly object: string
  readonly size: number
  readonly mtime: readonly [seconds: number, nanoseconds: number]
  readonly ctime: readonly [seconds: number, nanoseconds: number]
  readonly ino: number
  /** Added only by name, or marked in some way that changes how git compares it. */
  readonly isMarked: boolean
}

export const GITLINK_MODE = 0o160000
const FIXED_BYTES = 40
const STAGE_BITS = 0x3000
const EXTENDED_BIT = 0x4000
const ASSUME_VALID_BIT = 0x8000

/** The entries of an index file; null where its format is not one that is known to be complete. */
export function parseGitIndex(bytes: Buffer, objectBytes = 20): readonly IndexEntry[] | null {
  if (bytes.length < 12 + objectBytes || bytes.toString('latin1', 0, 4) !== 'DIRC') return null
  const version = bytes.readUInt32BE(4)
  const count = bytes.readUInt32BE(8)
  if (version < 2 || version > 4) return null
  try {
    const { entries, end } = readEntries(bytes, { version, count, objectBytes })
    return isComplete(bytes, end, objectBytes) ? entries : null
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

interface Format {
  readonly version: number
  readonly count: number
  readonly objectBytes: number
}

function readEntries(bytes: Buffer, format: Format): { entries: readonly IndexEntry[]; end: number } {
  const entries: IndexEntry[] = []
  let at = 12
  let previous = ''
  for (let index = 0; index < format.count; index += 1) {
    const flagsAt = at + FIXED_BYTES + format.objectBytes
    const flags = bytes.readUInt16BE(flagsAt)
    const isExtended = (flags & EXTENDED_BIT) !== 0
    const pathAt = flagsAt + (isExtended ? 4 : 2)
    const { path, end } = format.version === 4 ? compressedPath(bytes, pathAt, previous) : plainPath(bytes, pathAt)
    entries.push({
      path,
      ctime: [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)],
      mtime: [bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12)],
      ino: bytes.readUInt32BE(at + 20),
      mode: bytes.readUInt32BE(at + 24),
      size: bytes.readUInt32BE(at + 36),
      object: bytes.toString('hex', at + FIXED_BYTES, flagsAt),
      isMarked: isExtended || (flags & (STAGE_BITS | ASSUME_VALID_BIT)) !== 0,
    })
    previous = path
    // Up to the fourth version entries are padded to eight bytes, with at least one.
    at = format.version === 4 ? end : at + (((end - 1 - at + 8) >> 3) << 3)
  }
  return { entries, end: at }
}

function plainPath(bytes: Buffer, from: number): { path: string; end: number } {
  const zero = bytes.indexOf(0, from)
  if (zero < 0) throw new RangeError('no end of the path')
  return { path: bytes.toString('utf8', from, zero), end: zero + 1 }
}

function compressedPath(bytes: Buffer, from: number, previous: string): { path: string; end: number } {
  let at = from
  let byte = bytes.readUInt8(at++)
  let strip = byte & 0x7f
  while ((byte & 0x80) !== 0) {
    byte = bytes.readUInt8(at++)
    strip = ((strip + 1) << 7) | (byte & 0x7f)
  }
  const rest = plainPath(bytes, at)
  const before = Buffer.from(previous)
  return { path: before.toString('utf8', 0, Math.max(before.length - strip, 0)) + rest.path, end: rest.end }
}

/** A split index leaves entries out. */
function isComplete(bytes: Buffer, from: number, objectBytes: number): boolean {
  let at = from
  while (at < bytes.length - objectBytes) {
    const name = bytes.toString('latin1', at, at + 4)
    if (name === 'link') return false
    at += 8 + bytes.readUInt32BE(at + 4)
  }
  return at === bytes.length - objectBytes
}
