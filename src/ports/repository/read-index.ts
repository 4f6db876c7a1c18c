import { isUtf8 } from 'node:buffer'

const GITLINK_MODE = 0o160000
/** A folder of a sparse index, whose entries are not listed. */
const FOLDER_MODE = 0o040000
const HEADER_BYTES = 12
const MODE_OFFSET = 24
const STAT_FIELDS_BYTES = 40
const OBJECT_ID_BYTES = 20
const EXTENDED_FLAG = 0x4000
const SLASH = 0x2f

/** What the index says about the working tree. The paths are relative to its root. */
export interface IndexPaths {
  /** Links to other repositories. These are submodules, whether or not `.gitmodules` lists them. */
  readonly gitlinks: readonly string[]
  /** The folders that directly contain tracked files. */
  readonly folders: readonly string[]
}

/**
 * Returns the paths of an index; null for unusual formats, for paths that lead out of the working tree or into a git folder,
 * and for paths that are not UTF-8. Supported are versions 2 and 3 with SHA-1 that are neither split nor sparse.
 */
export function readIndex(index: Buffer): IndexPaths | null {
  try {
    return parseIndex(index)
  } catch (error) {
    // The file is shorter than its header says.
    if (error instanceof RangeError) return null
    throw error
  }
}

function parseIndex(index: Buffer): IndexPaths | null {
  if (index.toString('latin1', 0, 4) !== 'DIRC') return null
  const version = index.readUInt32BE(4)
  const count = index.readUInt32BE(8)
  if (version !== 2 && version !== 3) return null
  const gitlinks: string[] = []
  const folders = new FolderCollector()
  let at = HEADER_BYTES
  for (let entry = 0; entry < count; entry += 1) {
    const flagsAt = at + STAT_FIELDS_BYTES + OBJECT_ID_BYTES
    const isExtended = (index.readUInt16BE(flagsAt) & EXTENDED_FLAG) !== 0
    const pathAt = flagsAt + (isExtended ? 4 : 2)
    const pathEnd = index.indexOf(0, pathAt)
    const mode = index.readUInt32BE(at + MODE_OFFSET)
    if (pathEnd < 0 || mode === FOLDER_MODE) return null
    const path = index.subarray(pathAt, pathEnd)
    if (!isOrdinaryPath(path)) return null
    if (mode === GITLINK_MODE) gitlinks.push(path.toString('utf8'))
    folders.addFolderOf(path)
    // Entries are padded with one to eight zero bytes to a multiple of eight.
    at += ((pathEnd - at + 8) >> 3) << 3
  }
  return hasAllEntries(index, at) ? { gitlinks, folders: [...folders.names] } : null
}

/** A segment that git never writes to an index: it is empty, `.`, `..` or `.git`. */
const UNUSUAL_SEGMENT = /(?:^|\/)(?:\.{0,2}|\.git)(?:\/|$)/i

function isOrdinaryPath(path: Buffer): boolean {
  return isUtf8(path) && !UNUSUAL_SEGMENT.test(path.toString('latin1'))
}

/** Collects the folders of paths. The paths are sorted, so most of them are in the folder of the path before. */
class FolderCollector {
  readonly names = new Set<string>()
  #lastFolder: Buffer = Buffer.alloc(0)

  addFolderOf(path: Buffer): void {
    const folder = path.subarray(0, Math.max(path.lastIndexOf(SLASH), 0))
    if (folder.length === 0 || folder.equals(this.#lastFolder)) return
    this.names.add(folder.toString('utf8'))
    this.#lastFolder = folder
  }
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
