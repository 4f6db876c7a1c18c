import { opendirSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, parse } from 'node:path'
import { toPathBytes, toPathText } from '../../shared/path-bytes.js'
import { ignoresCase } from '../../shared/path-containment.js'
import { isNetworkShare } from '../../shared/path-problem.js'

/** The maximum number of folders whose answers are cached. */
const MAX_FOLDERS = 1_000

/**
 * Finds out whether letter case matters in a path. On macOS and Windows it is assumed not to. Elsewhere it depends on the
 * mount, and on some file systems on the folder, so each folder of a path is probed: an entry that is also found under
 * another spelling shows that case is ignored there. Answers are cached by the device and inode of the folder: another folder
 * may be mounted at its path later.
 */
export class CaseProbe {
  readonly #folders = new Map<string, boolean>()

  constructor(private readonly platform: string = process.platform) {}

  /** Whether at least one folder of an absolute path ignores case. Symbolic links in the path must already be resolved. */
  ignoresCaseIn(path: string): boolean {
    if (ignoresCase(this.platform)) return true
    if (isNetworkShare(path)) return false
    for (let at = path; at !== parse(at).root; at = dirname(at))
      if (this.#isIgnoredIn(dirname(at), basename(at))) return true
    return false
  }

  #isIgnoredIn(folder: string, name: string): boolean {
    const stats = findStats(folder)
    if (stats === undefined) return false
    const key = `${stats.dev}-${stats.ino}`
    const cachedAnswer = this.#folders.get(key)
    if (cachedAnswer !== undefined) return cachedAnswer
    const isIgnored = probeEntry(folder, name) ?? probeEntries(folder)
    // An empty folder is probed again once it has entries.
    if (isIgnored === undefined) return false
    if (this.#folders.size >= MAX_FOLDERS) this.#folders.clear()
    this.#folders.set(key, isIgnored)
    return isIgnored
  }
}

/** The maximum number of entries that are tried in a folder. */
const MAX_ENTRIES = 20

function probeEntries(folder: string): boolean | undefined {
  for (const name of readFirstNames(folder)) {
    const isIgnored = probeEntry(folder, toPathText(name))
    if (isIgnored !== undefined) return isIgnored
  }
  return undefined
}

/** Reads only a few names, because listing a folder with many files would block the event loop. */
function readFirstNames(folder: string): readonly Buffer[] {
  const names: Buffer[] = []
  try {
    const openFolder = opendirSync(toPathBytes(folder), { encoding: 'latin1', bufferSize: MAX_ENTRIES })
    try {
      for (let entry = openFolder.readSync(); entry !== null; entry = openFolder.readSync()) {
        names.push(Buffer.from(entry.name, 'latin1'))
        if (names.length === MAX_ENTRIES) break
      }
    } finally {
      openFolder.closeSync()
    }
  } catch {
    // A missing or unreadable folder has no entries to try.
  }
  return names
}

/** Whether an entry is found under another spelling; undefined if it does not exist or its name has no letters. */
function probeEntry(folder: string, name: string): boolean | undefined {
  const otherName = swapCase(name)
  // An escaped byte such as `\xff` is not a letter.
  if (otherName === name || name.includes('\\')) return undefined
  const entry = findStats(join(folder, name))
  if (entry === undefined) return undefined
  const other = findStats(join(folder, otherName))
  return other !== undefined && other.dev === entry.dev && other.ino === entry.ino
}

function swapCase(name: string): string {
  return name.replace(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))
}

function findStats(path: string): Stats | undefined {
  try {
    return statSync(toPathBytes(path), { throwIfNoEntry: false })
  } catch {
    // Not accessible: nothing can be compared.
    return undefined
  }
}
