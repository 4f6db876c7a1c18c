import { type Dirent, readdirSync, type Stats, statfsSync } from 'node:fs'
import { lookAt } from '../look-at.js'

/**
 * File systems that change the ctime of a folder whenever an entry is added, removed or renamed, by the number that
 * statfs returns: ext, XFS, Btrfs, tmpfs, overlayfs, F2FS. Network and FUSE file systems need not do so.
 */
const FILE_SYSTEMS_WITH_CTIME: ReadonlySet<number> = new Set([
  ...[0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010],
])

/** Longer than the clock tick of each of these file systems. A later change gets a different ctime. */
const MIN_SETTLED_MS = 2_000

const DEFAULT_MAX_FOLDERS = 2_000

/** Linux accepts paths of 4,096 bytes. The paths of entries must fit too, and bubblewrap adds a prefix. */
const MAX_PATH_BYTES = 3_500

interface ListingOptions {
  /** Only these entries are listed. */
  readonly isRelevant?: (entry: Dirent) => boolean
  readonly read?: (folder: string) => readonly Dirent[] | undefined
  readonly now?: () => number
  /** How many listings are cached. */
  readonly maxFolders?: number
}

interface Listing {
  readonly stats: Stats
  readonly entries: readonly Dirent[] | undefined
}

/**
 * Lists folders, and reads a folder again only if it has changed. A change is seen by the ctime, which programs cannot
 * set, unlike the mtime.
 */
export class FolderListings {
  readonly #options: ListingOptions
  readonly #listings = new Map<string, Listing>()
  /** Whether the ctime of folders can be relied on, by device. */
  readonly #devices = new Map<number, boolean>()

  constructor(options: ListingOptions = {}) {
    this.#options = options
  }

  /**
   * Lists a folder. Links are listed but not followed. Empty if the folder is missing, undefined if it cannot be listed or
   * entered.
   */
  list(folder: string): readonly Dirent[] | undefined {
    const stats = lookAt(folder)
    if (stats === undefined) return []
    const cachedListing = this.#listings.get(folder)
    if (cachedListing !== undefined && isUnchanged(cachedListing.stats, stats)) return cachedListing.entries
    const { read = readEntries, isRelevant = () => true } = this.#options
    const entries = read(folder)?.filter(isRelevant)
    this.#keep(folder, { stats, entries })
    return entries
  }

  /** Caches a listing. Its `stats` were read before the entries, so a change in between is noticed next time. */
  #keep(folder: string, listing: Listing): void {
    const { now = Date.now, maxFolders = DEFAULT_MAX_FOLDERS } = this.#options
    const { dev, ctimeMs } = listing.stats
    if (this.#listings.size >= maxFolders) this.#listings.clear()
    if (now() - ctimeMs > MIN_SETTLED_MS && this.#hasReliableCtime(folder, dev)) this.#listings.set(folder, listing)
    else this.#listings.delete(folder)
  }

  #hasReliableCtime(folder: string, device: number): boolean {
    const isKnownReliable = this.#devices.get(device)
    if (isKnownReliable !== undefined) return isKnownReliable
    const isReliable = FILE_SYSTEMS_WITH_CTIME.has(readFileSystemType(folder) ?? 0)
    this.#devices.set(device, isReliable)
    return isReliable
  }
}

function isUnchanged(statsBefore: Stats, now: Stats): boolean {
  return statsBefore.ctimeMs === now.ctimeMs && statsBefore.ino === now.ino && statsBefore.dev === now.dev
}

function readFileSystemType(folder: string): number | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    return statfsSync(folder).type
  } catch {
    // The folder was removed in the meantime.
    return undefined
  }
}

/** Returns the entries of a folder: none if it is missing, undefined if it cannot be listed or entered. */
export function readEntries(folder: string): readonly Dirent[] | undefined {
  if (Buffer.byteLength(folder) > MAX_PATH_BYTES) return undefined
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    // Entries can be mounted only if this user may enter the folder.
    return entries.length > 0 && lookAt(`${folder}/.`) === undefined ? undefined : entries
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? [] : undefined
  }
}

/** Whether a name may not be valid UTF-8. Such a name cannot be passed to bubblewrap, so nothing can be mounted over the entry. */
export function isUnmountableName(name: string): boolean {
  return name.includes('\uFFFD')
}
