import { lstatSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { toPathText } from '../../shared/path-bytes.js'
import type { Steps } from '../../shared/steps.js'
import { openRoot, type SearchRoot } from './open-root.js'

/**
 * Returns the found files whose content may come from another file. Ripgrep does not follow links, but it opens by name what it found
 * in a folder, and another program can replace a file or folder by a link in between. That changes the ctime of the folder,
 * which programs cannot set back, so files whose folders have not changed since the search began are certain.
 */
export function* findDoubtfulFiles(
  root: SearchRoot,
  printedPaths: readonly Buffer[],
  startMs: number,
): Steps<ReadonlySet<string>> {
  if (!root.isFolder) return NO_KEYS
  const files = [...new Set(printedPaths.map(toKey))]
  const certainFiles = new Set<string>()
  for (const file of files) {
    yield
    if (lookAt(root, file)?.isFile()) certainFiles.add(file)
  }
  // Outer folders are checked last: if they are unchanged even then, they led to the same inner folders all the time.
  const folders = [...new Set(files.flatMap(listFoldersAbove))].sort((a, b) => countSegments(b) - countSegments(a))
  const unchangedFolders = new Set<string>()
  for (const folder of folders) {
    yield
    if (isUnchanged(lookAt(root, folder), startMs)) unchangedFolders.add(folder)
  }
  const isCertain = (file: string) =>
    certainFiles.has(file) && listFoldersAbove(file).every((folder) => unchangedFolders.has(folder))
  return new Set(files.filter((file) => !isCertain(file)))
}

const NO_KEYS: ReadonlySet<string> = new Set()

/** Returns the key of a printed path: each byte is one character. */
export function toKey(printedPath: Buffer): string {
  return printedPath.toString('latin1')
}

/**
 * Opens a found file, to search it again. Returns undefined if it was replaced: its path does not exist, or leads elsewhere.
 */
export async function openFoundFile(root: SearchRoot, printedPath: Buffer): Promise<SearchRoot | undefined> {
  const path = join(root.realPath, toPathText(printedPath))
  try {
    return await openRoot(path, undefined, path)
  } catch {
    return undefined
  }
}

/** Files get the time of a clock that advances in steps of up to 10 ms. */
const CLOCK_STEP_MS = 10

function isUnchanged(stats: Stats | undefined, startMs: number): boolean {
  return stats?.isDirectory() === true && stats.ctimeMs < startMs - CLOCK_STEP_MS
}

function lookAt(root: SearchRoot, key: string): Stats | undefined {
  try {
    return lstatSync(root.toFilePath(Buffer.from(key === '' ? '.' : key, 'latin1')), { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Returns the folders above a file, up to the root of the search, whose key is empty. */
function listFoldersAbove(file: string): readonly string[] {
  const folders = ['']
  for (let slash = file.indexOf('/'); slash !== -1; slash = file.indexOf('/', slash + 1))
    folders.push(file.slice(0, slash))
  return folders
}

function countSegments(folder: string): number {
  return folder === '' ? 0 : folder.split('/').length
}
