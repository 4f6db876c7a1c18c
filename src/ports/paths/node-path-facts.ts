import { type Dirent, readlinkSync, realpathSync, statSync } from 'node:fs'
import { lstat, open, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, parse, resolve, sep } from 'node:path'
import type { FoundFiles } from '../../contract/command.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { toPathBytes, toPathText } from '../../shared/path-bytes.js'
import { isNetworkShare, isTooLongToLookUp } from '../../shared/path-problem.js'
import { CaseProbe } from './case-probe.js'
import { listUnusualIgnoreFiles } from './ignore-files.js'
import { readEntries } from './read-entries.js'

/** Creates the port that looks up facts about paths in the file system. The paths need not exist. */
export function createNodePathFacts(caseProbe: CaseProbe = new CaseProbe()) {
  return {
    async look(path: string) {
      const realPath = await resolveLinks(path)
      const isCaseInsensitive = caseProbe.ignoresCaseIn(realPath)
      const kind = await readKind(realPath)
      return { realPath, isFolder: kind === 'folder', isSpecial: kind === 'special', isCaseInsensitive }
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
type EntryQuery = Pick<FoundFiles, 'prefix' | 'suffix' | 'isDeep'> & {
  /** Whether the content of `.git` and `node_modules` is left out. */
  readonly areSources?: true
}

/**
 * Lists the entries of a folder, at any depth if asked to; undefined if there are too many or a folder cannot be examined.
 * Links are not followed.
 */
async function listEntries(folder: string, query: EntryQuery): Promise<readonly string[] | undefined> {
  const paths: string[] = []
  const pendingFolders = [folder]
  let entriesLeft = MAX_COMPARED_ENTRIES
  for (let nextFolder = pendingFolders.pop(); nextFolder !== undefined; nextFolder = pendingFolders.pop()) {
    const entries = await readEntries(nextFolder, entriesLeft)
    if (entries === undefined) return undefined
    entriesLeft -= entries.length
    for (const entry of entries) {
      const path = join(nextFolder, entry.name)
      if (query.isDeep || isSelected(entry, query)) paths.push(path)
      const isSkipped = query.areSources === true && /^(?:\.git|node_modules)$/.test(entry.name)
      if (query.isDeep && entry.isDirectory() && !isSkipped) pendingFolders.push(path)
    }
  }
  return paths
}

/**
 * Lists the symbolic links, pipes and devices in a folder. Undefined if the folder cannot be examined or has too many entries,
 * or if an entry violates the query: its name is not plain or looks like an option, or the file is an archive.
 */
async function listLinks(folder: string, query: LinkQuery): Promise<readonly string[] | undefined> {
  if (query.areIgnoreFiles === true) return listUnusualIgnoreFiles(folder)
  const links: string[] = []
  const pendingFolders = [folder]
  let entriesLeft = MAX_ENTRIES
  for (let nextFolder = pendingFolders.pop(); nextFolder !== undefined; nextFolder = pendingFolders.pop()) {
    const entries = await readEntries(nextFolder, entriesLeft)
    if (entries === undefined || entries.some((entry) => isNameUnusual(entry, query))) return undefined
    entriesLeft -= entries.length
    if (nextFolder === folder && query.mustBeOperands && entries.some((entry) => isOptionLike(entry, query)))
      return undefined
    const currentFolder = nextFolder
    if (query.excludesArchives === true && (await containsArchive(nextFolder, entries, query))) return undefined
    const toPaths = (list: readonly Dirent[]) => list.map(({ name }) => join(currentFolder, name))
    links.push(...toPaths(entries.filter((entry) => isLinkOrSpecial(entry) && isSelected(entry, query))))
    if (query.isDeep) pendingFolders.push(...toPaths(entries.filter((entry) => entry.isDirectory())))
  }
  if (query.excludesLinks) return []
  if (!query.areFolders) return links
  const areFolders = await Promise.all(links.map(isFolder))
  return links.filter((_, index) => areFolders[index])
}

/** Whether opening an entry leads elsewhere: to the target of a link, or to the program behind a pipe or a device. */
function isLinkOrSpecial(entry: Dirent): boolean {
  return !entry.isFile() && !entry.isDirectory()
}

function isSelected({ name }: Dirent, { prefix, suffix }: EntryQuery): boolean {
  return name.startsWith(prefix) && name.endsWith(suffix)
}

function isNameUnusual(entry: Dirent, query: LinkQuery): boolean {
  const isPartOfName = entry.isDirectory() || isSelected(entry, query)
  return query.mustBePlain && isPartOfName && !/^[^\s'"\\*?[\]\p{C}]+$/u.test(entry.name)
}

/** Whether a word that starts with the name of the entry would start with a dash. */
function isOptionLike(entry: Dirent, query: LinkQuery): boolean {
  return entry.name.startsWith('-') && (query.isDeep || isSelected(entry, query))
}

/** Whether one of the selected files is an archive of object files. A file that cannot be read counts as one. */
async function containsArchive(folder: string, entries: readonly Dirent[], query: LinkQuery): Promise<boolean> {
  const files = entries.filter((entry) => !entry.isDirectory() && isSelected(entry, query))
  const starts = await Promise.all(files.map(({ name }) => readStart(join(folder, name))))
  return starts.some((start) => start === undefined || ARCHIVE_START.test(start))
}

const ARCHIVE_START = /^!<(?:arch|thin|bout)>/

async function readStart(path: string): Promise<string | undefined> {
  try {
    // Opening a pipe that no program writes to would never return.
    const name = toPathBytes(path)
    if (!(await stat(name)).isFile()) return undefined
    const file = await open(name)
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

/** Resolves links as far as the path exists. A broken link is replaced with its target. */
export async function resolveLinks(path: string, budget: LinkBudget = createLinkBudget()): Promise<string> {
  try {
    return toPathText(await readRealPath(path))
  } catch (error) {
    if (!isAbsence(error)) throw error
  }
  const missingPart = findMissingPart(path)
  if (missingPart !== undefined) return join(await resolveLinks(missingPart.folder, budget), ...missingPart.names)
  const parent = dirname(path)
  if (parent === path) return path
  const folder = await resolveLinks(parent, budget)
  const entry = join(folder, basename(path))
  if (!(await isLink(entry))) return entry
  if (budget.linksLeft-- <= 0) throw new Error(`ELOOP: too many symbolic links encountered, realpath '${path}'`)
  return followSteps(splitLinkTarget(folder, toPathText(await readlink(toPathBytes(entry), 'buffer'))), budget)
}

interface MissingPart {
  /** The innermost folder of the path that exists. */
  readonly folder: string
  /** At least two names below it. The first is neither an entry of the folder nor a broken link. */
  readonly names: readonly string[]
}

/**
 * Splits a path that does not exist and has no `..`. Below a name that does not exist there are no links, so these names need
 * not be looked up one by one, which would take quadratic time. Returns undefined if fewer than two names are missing or this
 * cannot be determined.
 */
function findMissingPart(path: string): MissingPart | undefined {
  const { root } = parse(path)
  const names = path.slice(root.length).split(sep)
  if (isNetworkShare(path) || names.some(isParentStep)) return undefined
  const toPath = (count: number) => root + names.slice(0, count).join(sep)
  // A binary search, because nothing exists below a folder that does not exist.
  let [existingCount, missingCount] = [0, names.length]
  while (missingCount - existingCount > 1) {
    const middle = Math.floor((existingCount + missingCount) / 2)
    const isExisting = doesExist(toPath(middle))
    if (isExisting === undefined) return undefined
    if (isExisting) existingCount = middle
    else missingCount = middle
  }
  if (names.length - existingCount < 2 || findLinkTarget(toPath(missingCount)) !== undefined) return undefined
  return { folder: toPath(existingCount), names: names.slice(existingCount) }
}

/** Whether a path exists; undefined if that cannot be determined. */
function doesExist(path: string): boolean | undefined {
  try {
    statSync(toPathBytes(path))
    return true
  } catch (error) {
    return isAbsence(error) ? false : undefined
  }
}

const isParentStep = (name: string) => name === '..'

/** Splits a path before its first `..`, if it has one. */
function splitAtParentStep(path: string): LinkSteps | undefined {
  const { root } = parse(path)
  const names = path.slice(root.length).split(sep)
  const at = names.findIndex(isParentStep)
  if (at === -1 || isNetworkShare(path)) return undefined
  return { from: root + names.slice(0, at).join(sep), names: names.slice(at) }
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
function readRealPath(path: string): MaybePromise<Buffer> {
  const name = toPathBytes(path)
  return isNetworkShare(path) ? realpath(name, 'buffer') : realpathSync.native(name, 'buffer')
}

async function isFolder(path: string): Promise<boolean> {
  return (await readKind(path)) === 'folder'
}

/** Returns the kind of a file, with links followed; undefined if the path does not exist or cannot be accessed. */
async function readKind(path: string): Promise<'file' | 'folder' | 'special' | undefined> {
  const name = toPathBytes(path)
  try {
    const stats = isNetworkShare(path) ? await stat(name) : statSync(name)
    if (stats.isDirectory()) return 'folder'
    return stats.isFile() ? 'file' : 'special'
  } catch {
    return undefined
  }
}

/** The maximum number of links that Linux follows in one path. */
const MAX_LINKS = 40

/** How many more links may be followed for one path, counted over all links in it. */
export interface LinkBudget {
  linksLeft: number
}

function createLinkBudget(): LinkBudget {
  return { linksLeft: MAX_LINKS }
}

interface LinkSteps {
  readonly from: string
  /** Path segments, each to be resolved before the next. */
  readonly names: readonly string[]
}

/**
 * Splits a link target into steps, starting at the folder of the link. `..` is relative to the target of a link, not to the
 * link itself.
 */
function splitLinkTarget(folder: string, target: string): LinkSteps {
  const { root } = parse(target)
  const names = target.slice(root.length).split(sep === '\\' ? /[\\/]/ : sep)
  return { from: resolve(folder, root), names: names.filter((name) => name !== '' && name !== '.') }
}

/**
 * Returns one name for all paths of a file: links are resolved as far as the path exists, and case is folded where it does not
 * matter. Scheduling uses it before a call is approved, so network shares are not accessed.
 */
export function identifyPath(path: string, caseProbe: CaseProbe): string {
  // A path that is too long is refused later.
  if (isTooLongToLookUp(path)) return path
  const name = isNetworkShare(path) ? path : resolveRealPath(path, createLinkBudget())
  return caseProbe.ignoresCaseIn(name) ? name.toLowerCase() : name
}

/**
 * Returns a name that all hard links to a file share, because a write through one of them changes all. Undefined if there is
 * only one.
 */
export function findHardLinkName(path: string): string | undefined {
  if (isNetworkShare(path)) return undefined
  try {
    const entry = statSync(toPathBytes(path), { bigint: true })
    const { nlink, dev, ino } = entry
    return nlink > 1n && entry.isFile() ? `hard-link:${dev}-${ino}` : undefined
  } catch {
    // The file is missing or not accessible, so there is no inode to compare.
    return undefined
  }
}

function resolveRealPath(path: string, budget: LinkBudget): string {
  try {
    return toPathText(realpathSync.native(toPathBytes(path), 'buffer'))
  } catch {
    // The path is missing or not accessible, but its parent may still contain links.
    const steps = splitAtParentStep(path)
    if (steps !== undefined)
      return steps.names.reduce(
        (at, name) => resolveRealPath(join(at, name), budget),
        resolveRealPath(steps.from, budget),
      )
    const missingPart = findMissingPart(path)
    if (missingPart !== undefined) return join(resolveRealPath(missingPart.folder, budget), ...missingPart.names)
    const parent = dirname(path)
    if (parent === path) return path
    const folder = resolveRealPath(parent, budget)
    const entry = join(folder, basename(path))
    const target = findLinkTarget(entry)
    if (target === undefined || budget.linksLeft-- <= 0) return entry
    const { from, names } = splitLinkTarget(folder, target)
    return names.reduce((at, name) => resolveRealPath(join(at, name), budget), resolveRealPath(from, budget))
  }
}

/** Returns the target of a broken link. Writing through the link creates the file there. */
function findLinkTarget(path: string): string | undefined {
  try {
    return toPathText(readlinkSync(toPathBytes(path), 'buffer'))
  } catch {
    return undefined
  }
}
