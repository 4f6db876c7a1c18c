import { type BigIntStats, constants } from 'node:fs'
import { access, lstat, readdir, rmdir, unlink } from 'node:fs/promises'
import { sep } from 'node:path'
import { toPathText } from '../../shared/path-bytes.js'

/** Paths are decoded as latin1, which keeps every byte: file names need not be valid UTF-8. */
export type BytePath = string

export function toBytePath(path: string): BytePath {
  return Buffer.from(path).toString('latin1')
}

/** Returns the path for messages. */
export function showPath(path: BytePath): string {
  return toPathText(Buffer.from(path, 'latin1'))
}

export function bytesOf(path: BytePath): Buffer {
  return Buffer.from(path, 'latin1')
}

/** A file that may be deleted as long as it has not changed. */
export interface KnownFile {
  readonly path: BytePath
  readonly signature: string
}

/** What is in a working tree, compared with the files that git has recorded. */
export interface TreeFiles {
  readonly knownFiles: readonly KnownFile[]
  /** All folders, each before those in it. */
  readonly folders: readonly BytePath[]
  /** Files and folders that git has not recorded, relative to the tree. Folders end with a slash. */
  readonly unknownNames: readonly BytePath[]
  /** Submodules with a repository, relative to the tree. */
  readonly submodules: readonly BytePath[]
}

/** Lists a working tree. `recorded` contains the files, `links` the submodules that git has recorded. */
export async function listTree(
  root: BytePath,
  recordedPaths: ReadonlySet<BytePath>,
  links: ReadonlySet<BytePath>,
): Promise<TreeFiles> {
  const recordedFolders = collectFolders([...recordedPaths, ...links])
  const knownFiles: KnownFile[] = []
  const folders: BytePath[] = []
  const unknownNames: BytePath[] = []
  const submodules: BytePath[] = []

  const visit = async (relativeFolder: BytePath): Promise<void> => {
    const folder = relativeFolder === '' ? root : `${root}${sep}${relativeFolder}`
    folders.push(folder)
    for (const entry of await readdir(bytesOf(folder), { withFileTypes: true, encoding: 'latin1' })) {
      const name = relativeFolder === '' ? entry.name : `${relativeFolder}/${entry.name}`
      // The link to the repository, which is deleted last.
      if (name === '.git') continue
      if (entry.isDirectory()) await visitFolder(name, `${root}${sep}${name}`)
      else await visitFile(name, `${root}${sep}${name}`)
    }
  }
  const visitFolder = async (name: BytePath, path: BytePath): Promise<void> => {
    if (links.has(name) && (await exists(`${path}${sep}.git`))) submodules.push(name)
    else if (recordedFolders.has(name)) await visit(name)
    else if (await containsFile(path)) unknownNames.push(`${name}/`)
    else folders.push(...(await listFolders(path)))
  }
  const visitFile = async (name: BytePath, path: BytePath): Promise<void> => {
    if (recordedPaths.has(name)) knownFiles.push({ path, signature: await readSignature(path) })
    else unknownNames.push(name)
  }
  await visit('')
  return { knownFiles, folders, unknownNames, submodules }
}

/** Returns all folders that contain one of the paths, and the paths of submodules. */
function collectFolders(paths: readonly BytePath[]): ReadonlySet<BytePath> {
  const folders = new Set<BytePath>()
  for (const path of paths) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end)
      if (folders.has(folder)) break
      folders.add(folder)
    }
  }
  return folders
}

async function containsFile(folder: BytePath): Promise<boolean> {
  for (const entry of await readdir(bytesOf(folder), { withFileTypes: true, encoding: 'latin1' })) {
    if (!entry.isDirectory() || (await containsFile(`${folder}${sep}${entry.name}`))) return true
  }
  return false
}

async function listFolders(folder: BytePath): Promise<readonly BytePath[]> {
  const entries = await readdir(bytesOf(folder), { withFileTypes: true, encoding: 'latin1' })
  const innerFolders = await Promise.all(entries.map((entry) => listFolders(`${folder}${sep}${entry.name}`)))
  return [folder, ...innerFolders.flat()]
}

async function readSignature(path: BytePath): Promise<string> {
  const { ino, size, mtimeNs, ctimeNs, mode }: BigIntStats = await lstat(bytesOf(path), { bigint: true })
  return [ino, size, mtimeNs, ctimeNs, mode].join(':')
}

export async function exists(path: BytePath): Promise<boolean> {
  return access(bytesOf(path), constants.F_OK).then(
    () => true,
    () => false,
  )
}

/** Something was written into a tree while it was being deleted. */
export class TreeChangedError extends Error {
  override readonly name = 'TreeChangedError'
}

/**
 * Deletes known files and then the folders, unless they contain anything else. Never deletes a file that changed or
 * appeared after it was listed. `gitLinks` are the `.git` files of the tree and its submodules.
 */
export async function deleteKnownFiles(tree: {
  readonly knownFiles: readonly KnownFile[]
  readonly folders: readonly BytePath[]
  readonly gitLinks: readonly BytePath[]
}): Promise<void> {
  for (const { path, signature } of tree.knownFiles) {
    if ((await readSignature(path)) !== signature) throw new TreeChangedError(`${showPath(path)} has changed`)
    await unlink(bytesOf(path))
  }
  const rootFolders = new Set(tree.gitLinks.map((link) => link.slice(0, -`${sep}.git`.length)))
  for (const folder of [...tree.folders].reverse()) {
    if (rootFolders.has(folder)) await deleteLink(folder)
    await rmdir(bytesOf(folder)).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOTEMPTY' || error.code === 'EEXIST'
        ? new TreeChangedError(`${showPath(folder)} contains new files`)
        : error
    })
  }
}

/** Deletes the link to the repository only if nothing else is left, so that an incomplete deletion can be undone. */
async function deleteLink(folder: BytePath): Promise<void> {
  const names = await readdir(bytesOf(folder), { encoding: 'latin1' })
  if (names.some((name) => name !== '.git')) throw new TreeChangedError(`${showPath(folder)} contains new files`)
  if (names.length > 0) await unlink(bytesOf(`${folder}${sep}.git`))
}
