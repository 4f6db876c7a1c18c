import { type Dirent, realpathSync, statSync } from 'node:fs'
import { lstat, open, readdir, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { FoundFiles } from '../../contract/command.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { toPathBytes, toPathText } from '../../shared/path-bytes.js'
import { isNetworkShare } from '../../shared/path-problem.js'
import { CaseProbe } from './case-probe.js'
import { createLinkBudget, type LinkBudget, type LinkSteps, splitLinkTarget } from './link-steps.js'

/** Creates the port that looks up facts about paths in the file system. The paths need not exist. */
export function createNodePathFacts(caseProbe: CaseProbe = new CaseProbe()) {
  return {
    async look(path: string) {
      const realPath = await resolveLinks(path)
      const isCaseInsensitive = caseProbe.ignoresCaseIn(realPath)
      return { realPath, isFolder: await isFolder(realPath), isCaseInsensitive }
    },
    links: listLinks,
    entries: listEntries,
  }
}

/** The maximum number of entries that are examined for one query. */
const MAX_ENTRIES = 5_000

/** The maximum number of entries that are compared with a rule. */
const MAX_COMPARED_ENTRIES = 2_000

/** Selects the entries of a folder. */
type LinkQuery = Omit<FoundFiles, 'folder'>
type EntryQuery = Pick<FoundFiles, 'prefix' | 'suffix' | 'isDeep'>

/** Lists the entries of a folder, at any depth if asked to; undefined if there are too many. Links are not followed. */
async function listEntries(folder: string, query: EntryQuery): Promise<readonly string[] | undefined> {
  const paths: string[] = []
  const pendingFolders = [folder]
  let entriesLeft = MAX_COMPARED_ENTRIES
  for (let nextFolder = pendingFolders.pop(); nextFolder !== undefined; nextFolder = pendingFolders.pop()) {
    const entries = await readEntries(nextFolder)
    entriesLeft -= entries.length
    if (entriesLeft < 0) return undefined
    for (const entry of entries) {
      const path = join(nextFolder, entry.name)
      if (query.isDeep || isSelected(entry, query)) paths.push(path)
      if (query.isDeep && entry.isDirectory()) pendingFolders.push(path)
    }
  }
  return paths
}

const PLAIN_NAME = /^[^\s'"\\*?[\]\p{C}]+$/u

/**
 * Lists the symbolic links in a folder; undefined if it has too many entries, a name that must be plain is not, or a name that
 * must not be an option may be one, or a file is an archive that must be none. A folder that cannot be read has none.
 */
async function listLinks(folder: string, query: LinkQuery): Promise<readonly string[] | undefined> {
  const links: string[] = []
  const pendingFolders = [folder]
  let entriesLeft = MAX_ENTRIES
  for (let nextFolder = pendingFolders.pop(); nextFolder !== undefined; nextFolder = pendingFolders.pop()) {
    const entries = await readEntries(nextFolder)
    entriesLeft -= entries.length
    if (entriesLeft < 0 || entries.some((entry) => isTooOdd(entry, query))) return undefined
    if (nextFolder === folder && query.mustBeOperands && entries.some((entry) => isOptionLike(entry, query)))
      return undefined
    const currentFolder = nextFolder
    if (query.areNoArchives === true && (await containsArchive(nextFolder, entries, query))) return undefined
    const pathsOf = (list: readonly Dirent[]) => list.map(({ name }) => join(currentFolder, name))
    links.push(...pathsOf(entries.filter((entry) => entry.isSymbolicLink() && isSelected(entry, query))))
    if (query.isDeep) pendingFolders.push(...pathsOf(entries.filter((entry) => entry.isDirectory())))
  }
  if (query.areNoLinks) return []
  if (!query.areFolders) return links
  const areFolders = await Promise.all(links.map(isFolder))
  return links.filter((_, index) => areFolders[index])
}

function isSelected({ name }: Dirent, { prefix, suffix }: EntryQuery): boolean {
  return name.startsWith(prefix) && name.endsWith(suffix)
}

function isTooOdd(entry: Dirent, query: LinkQuery): boolean {
  const isPartOfName = entry.isDirectory() || isSelected(entry, query)
  return query.mustBePlain && isPartOfName && !PLAIN_NAME.test(entry.name)
}

/** Whether a word that starts with the name of the entry would start with a dash. */
function isOptionLike(entry: Dirent, query: LinkQuery): boolean {
  return entry.name.startsWith('-') && (query.isDeep || isSelected(entry, query))
}

/** Whether one of the selected files is an archive of object files. One that cannot be read may be one. */
async function containsArchive(folder: string, entries: readonly Dirent[], query: LinkQuery): Promise<boolean> {
  const files = entries.filter((entry) => !entry.isDirectory() && isSelected(entry, query))
  const starts = await Promise.all(files.map(({ name }) => readStart(join(folder, name))))
  return starts.some((start) => start === undefined || ARCHIVE_START.test(start))
}

const ARCHIVE_START = /^!<(?:arch|thin|bout)>/

async function readStart(path: string): Promise<string | undefined> {
  try {
    // Waiting for a pipe would take forever.
    if (!(await stat(path)).isFile()) return undefined
    const file = await open(path)
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(8), 0, 8, 0)
      return buffer.toString('latin1', 0, bytesRead)
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
}

async function readEntries(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch {
    // A missing or unreadable folder yields no names.
    return []
  }
}

/** Resolves links as far as the path exists. A broken link is replaced with its target. */
export async function resolveLinks(path: string, budget: LinkBudget = createLinkBudget()): Promise<string> {
  try {
    return toPathText(await realPathOf(path))
  } catch (error) {
    if (!isAbsence(error)) throw error
  }
  const parent = dirname(path)
  if (parent === path) return path
  const folder = await resolveLinks(parent, budget)
  const entry = join(folder, basename(path))
  if (!(await isLink(entry))) return entry
  if (budget.linksLeft-- <= 0) throw new Error(`ELOOP: too many symbolic links encountered, realpath '${path}'`)
  return followSteps(splitLinkTarget(folder, toPathText(await readlink(toPathBytes(entry), 'buffer'))), budget)
}

async function followSteps({ from, names }: LinkSteps, budget: LinkBudget): Promise<string> {
  let at = await resolveLinks(from, budget)
  for (const name of names) at = await resolveLinks(join(at, name), budget)
  return at
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(toPathBytes(path))).isSymbolicLink()
  } catch (error) {
    if (isAbsence(error)) return false
    throw error
  }
}

/**
 * Whether the error means that the path does not exist. ENOTDIR does too: `cp a b` may write `b/a`, which cannot exist if `b`
 * is a file.
 */
function isAbsence(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** Synchronous, because the thread pool takes longer and the path was accessed just before. */
function realPathOf(path: string): MaybePromise<Buffer> {
  const name = toPathBytes(path)
  return isNetworkShare(path) ? realpath(name, 'buffer') : realpathSync.native(name, 'buffer')
}

async function isFolder(path: string): Promise<boolean> {
  const name = toPathBytes(path)
  try {
    return (isNetworkShare(path) ? await stat(name) : statSync(name)).isDirectory()
  } catch {
    return false
  }
}
