const GITLINK_MODE = 0o160000
/** A folder of a sparse index, whose entries are not listed. */
const FOLDER_MODE = 0o040000
const HEADER_BYTES = 12
const MODE_OFFSET = 24
const STAT_FIELDS_BYTES = 40
const OBJECT_ID_BYTES = 20
const EXTENDED_FLAG = 0x4000

/**
 * Returns the paths in the index that link to other repositories. These are submodules, whether or not `.gitmodules` lists
 * them. Returns null for unusual index formats and for links whose path is not UTF-8. Supported are versions 2 and 3 with SHA-1 that are neither
 * split nor sparse.
 */
export function readGitlinks(index: Buffer): readonly string[] | null {
  try {
    return parseGitlinks(index)
  } catch (error) {
    // The file is shorter than its header says.
    if (error instanceof RangeError) return null
    throw error
  }
}

function parseGitlinks(index: Buffer): readonly string[] | null {
  if (index.toString('latin1', 0, 4) !== 'DIRC') return null
  const version = index.readUInt32BE(4)
  const count = index.readUInt32BE(8)
  if (version !== 2 && version !== 3) return null
  const links: string[] = []
  let at = HEADER_BYTES
  for (let entry = 0; entry < count; entry += 1) {
    const flagsAt = at + STAT_FIELDS_BYTES + OBJECT_ID_BYTES
    const isExtended = (index.readUInt16BE(flagsAt) & EXTENDED_FLAG) !== 0
    const pathAt = flagsAt + (isExtended ? 4 : 2)
    const pathEnd = index.indexOf(0, pathAt)
    if (pathEnd < 0) return null
    const mode = index.readUInt32BE(at + MODE_OFFSET)
    if (mode === FOLDER_MODE) return null
    if (mode === GITLINK_MODE) links.push(index.toString('utf8', pathAt, pathEnd))
    // Entries are padded with one to eight zero bytes to a multiple of eight.
    at += ((pathEnd - at + 8) >> 3) << 3
  }
  const areValid = links.every((link) => !link.includes('\uFFFD'))
  return areValid && hasAllEntries(index, at) ? links : null
}

/** Whether the file has all entries. A `link` extension marks a split index, whose other entries are in another file. */
function hasAllEntries(index: Buffer, extensionsAt: number): boolean {
  const end = index.length - OBJECT_ID_BYTES
  let at = extensionsAt
  while (at < end) {
    if (index.toString('latin1', at, at + 4) === 'link') return false
    at += 8 + index.readUInt32BE(at + 4)
  }
  return at === end
}
