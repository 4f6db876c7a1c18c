import type { Dirent } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readRegularText } from '../../system/read-regular-file.js'
import { readEntries } from './read-entries.js'

/** The names of the ignore files of ripgrep, fd, ag and tree. */
const IGNORE_FILES: ReadonlySet<string> = new Set([
  ...['.ignore', '.rgignore', '.fdignore', '.agignore', '.gitignore', '.hgignore'],
])
const EXCLUDE_FILE = join('info', 'exclude')
const MAX_BYTES = 256 * 1024

/**
 * The maximum number of entries that are examined below a folder. In a larger tree, only the sandbox keeps ripgrep from
 * printing files outside the project, and it may read a pipe. Without a sandbox, ripgrep needs approval anyway.
 */
const MAX_ENTRIES = 3_000

/**
 * Lists the ignore files that ripgrep should not read if it searches this folder: it reports malformed patterns, and reading a
 * pipe or a device has an effect. It reads the ignore files in the folder, below and above it. Those below are listed if they
 * are not regular files, those above if they may contain a malformed pattern or are not regular files either. Undefined if a
 * folder cannot be examined.
 */
export async function listUnusualIgnoreFiles(folder: string): Promise<readonly string[] | undefined> {
  const pathsBelow = await listBelow(folder)
  return pathsBelow === undefined ? undefined : [...listAbove(folder), ...pathsBelow]
}

function listAbove(folder: string): readonly string[] {
  const paths: string[] = []
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    const parent = dirname(at)
    paths.push(...[...IGNORE_FILES].map((name) => join(parent, name)), findExcludeFile(join(parent, '.git')))
  }
  return paths.filter(mayBeMalformed)
}

async function listBelow(folder: string): Promise<readonly string[] | undefined> {
  const paths: string[] = []
  let folders: readonly string[] = [folder]
  let entriesLeft = MAX_ENTRIES
  // Level by level, so that the files closest to the folder are examined even in a large tree.
  while (folders.length > 0 && entriesLeft > 0) {
    const innerFolders: string[] = []
    for (const { path, entries } of await Promise.all(folders.slice(0, entriesLeft).map(readFolder))) {
      if (entries === undefined) return undefined
      entriesLeft -= entries.length
      const toPath = ({ name }: Dirent) => join(path, name)
      paths.push(...entries.filter(isUnusualIgnoreFile).map(toPath))
      paths.push(...entries.filter(isDotGit).map(toPath).map(findExcludeFile).filter(mayBeMalformed))
      innerFolders.push(...entries.filter((entry) => entry.isDirectory() && !isDotGit(entry)).map(toPath))
    }
    folders = innerFolders
  }
  return paths
}

function isUnusualIgnoreFile(entry: Dirent): boolean {
  return !entry.isFile() && IGNORE_FILES.has(entry.name)
}

function isDotGit({ name }: Dirent): boolean {
  return name === '.git'
}

async function readFolder(path: string) {
  return { path, entries: await readEntries(path) }
}

/**
 * Returns the file with the patterns of a repository. In a linked working tree, `.git` is a file that names the git folder, and
 * `commondir` a file in it. Returns `commondir` itself if it is something else, such as a pipe: ripgrep opens it first.
 */
function findExcludeFile(dotGit: string): string {
  const gitFolder = readPath(dotGit, 'gitdir: ') ?? dotGit
  const commonFile = join(gitFolder, 'commondir')
  if (readRegularText(commonFile, { maxBytes: 4_096 }).kind === 'unreadable') return commonFile
  return join(readPath(commonFile, '') ?? gitFolder, EXCLUDE_FILE)
}

/** Returns the path that a file contains after a prefix, relative to the folder of the file. */
function readPath(file: string, prefix: string): string | undefined {
  const readResult = readRegularText(file, { maxBytes: 4_096 })
  if (readResult.kind !== 'found' || !readResult.content.startsWith(prefix)) return undefined
  return resolve(dirname(file), readResult.content.slice(prefix.length).trim())
}

/** Well-formed classes and alternatives without ranges and nesting. */
const PLAIN_GROUPS = /\[[\w.]+\]|\{[\w.,*]+\}/g

function mayBeMalformed(path: string): boolean {
  const readResult = readRegularText(path, { maxBytes: MAX_BYTES })
  if (readResult.kind !== 'found') return readResult.kind === 'unreadable'
  return /[[\]{}\\]/.test(readResult.content.replace(PLAIN_GROUPS, ''))
}
