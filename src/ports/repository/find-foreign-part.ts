import type { Dirent } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { FoundRepository } from './find-repository.js'
import { findSpecialFile } from './find-special-entry.js'
import type { GitSettings } from './read-settings.js'
import { leadsInto, toRealPath } from './real-path.js'
import type { RecordedFiles } from './recorded-files.js'

/**
 * Describes a folder, link or list of objects that leads out of a repository; null if there is none. Git would print files that symbolic links in the
 * git folder lead to, for example in error messages, and the contents of other repositories.
 */
export async function findForeignPart(
  files: RecordedFiles,
  repository: FoundRepository,
  settings: GitSettings,
): Promise<string | null> {
  return (
    (await findForeignFolder(files, repository, settings)) ??
    findForeignEntry(files, repository) ??
    findSpecialFile(
      files,
      UNPRINTED_FOLDERS.map((name) => join(repository.commonFolder, name)),
    ) ??
    (await findAlternates(files, repository.commonFolder)) ??
    (await findForeignPack(files, repository.commonFolder))
  )
}

/**
 * Describes a git folder outside the working tree. It is accepted if it names this working tree: linked working trees do so in
 * the file `gitdir`, submodules in `core.worktree`, whose value is checked elsewhere.
 */
async function findForeignFolder(
  files: RecordedFiles,
  { gitFolder, commonFolder, root }: FoundRepository,
  { repositorySettings }: GitSettings,
): Promise<string | null> {
  const realFolder = toRealPath(gitFolder)
  if (commonFolder !== gitFolder) {
    const isLinked =
      basename(dirname(realFolder)) === 'worktrees' && dirname(dirname(realFolder)) === toRealPath(commonFolder)
    const backLink = isLinked && root !== null ? await files.readText(join(gitFolder, 'gitdir')) : null
    const pointsBack =
      backLink?.kind === 'found' && isSameFile(resolve(gitFolder, backLink.content.trim()), join(root ?? '', '.git'))
    return pointsBack ? null : `${gitFolder}, which uses the folder of another repository`
  }
  const isWorktreeConfigured = repositorySettings.some(({ section, name }) => section === 'core' && name === 'worktree')
  if (root === null || isWorktreeConfigured || leadsInto(gitFolder, toRealPath(root))) return null
  return `${join(root, '.git')}, which leads to another repository`
}

/**
 * Folders in the git folder whose files git does not print: hooks are run, submodules in `modules` are examined on their own,
 * and the others belong to extensions of git. In these, links are accepted, but no pipes. Every other folder is examined,
 * whatever its name.
 */
const UNPRINTED_FOLDERS: readonly string[] = ['hooks', 'modules', 'lfs', 'annex']
const MAX_FOLDERS = 5000
/** The socket of the file system monitor of git, which is used only if a setting enables it. */
const MONITOR_SOCKET = 'fsmonitor--daemon.ipc'

interface VisitedFolder {
  readonly path: string
  /** Whether this is a git folder itself: that of the repository, or that of a linked working tree. */
  readonly isGitFolder: boolean
}

/**
 * Finds an unusual entry of the git folder: a symbolic link that leads out of it, or another entry that is
 * neither a file nor a folder.
 */
function findForeignEntry(files: RecordedFiles, { commonFolder, root }: FoundRepository): string | null {
  const modules = root === null ? null : join(root, '.gitmodules')
  if (modules !== null && files.lstat(modules)?.isLink === true) return describeLink(modules)
  const realFolder = toRealPath(commonFolder)
  const worktrees = join(realFolder, 'worktrees')
  const folders: VisitedFolder[] = [{ path: realFolder, isGitFolder: true }]
  // Folders are added during the loop.
  for (const { path, isGitFolder } of folders) {
    const entries = folders.length > MAX_FOLDERS ? null : files.list(path)
    if (entries === null) return `${path}, which cannot be examined`
    const examinedEntries = isGitFolder ? entries.filter(isExamined) : entries
    const [problem] = examinedEntries.flatMap((entry) => describeForeignEntry(files, entry, path, realFolder) ?? [])
    if (problem !== undefined) return problem
    folders.push(...listFoldersIn(path, examinedEntries, path === worktrees))
  }
  return null
}

function listFoldersIn(path: string, entries: readonly Dirent[], isGitFolder: boolean): readonly VisitedFolder[] {
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => ({ path: join(path, name), isGitFolder }))
}

function describeForeignEntry(files: RecordedFiles, entry: Dirent, folder: string, gitFolder: string): string | null {
  if (entry.isFile() || entry.isDirectory()) return null
  const path = join(folder, entry.name)
  if (!entry.isSymbolicLink()) return `${path}, which is not an ordinary file`
  return isLinkInside(files, path, gitFolder) ? null : describeLink(path)
}

/** Whether an entry is examined. Lock files of Emacs are not: they are broken links. */
function isExamined({ name }: Dirent): boolean {
  return !UNPRINTED_FOLDERS.includes(name) && name !== MONITOR_SOCKET && !name.startsWith('.#')
}

/** Whether a link leads to a file in the folder. A linked folder would have to be examined, too. */
function isLinkInside(files: RecordedFiles, path: string, folder: string): boolean {
  const target = files.stat(path)
  return target?.isFile === true && leadsInto(path, folder)
}

function describeLink(path: string): string {
  return `${path}, which is a link to another folder`
}

/** Finds the file that lists other repositories, whose objects git then reads as well. */
async function findAlternates(files: RecordedFiles, commonFolder: string): Promise<string | null> {
  const path = join(commonFolder, 'objects', 'info', 'alternates')
  const alternatesFile = await files.readText(path)
  const isEmpty =
    alternatesFile.kind === 'absent' ||
    (alternatesFile.kind === 'found' && /^(?:#.*|\s*)$/.test(alternatesFile.content))
  return isEmpty ? null : `${path}, which names the objects of another repository`
}

/** Finds a multi-pack index whose names may lead git to the objects of another repository. */
async function findForeignPack(files: RecordedFiles, commonFolder: string): Promise<string | null> {
  const path = join(commonFolder, 'objects', 'pack', 'multi-pack-index')
  // A chain of multi-pack indexes is experimental and rare, so it is not analysed.
  if (files.lstat(`${path}.d`) !== null) return `${path}.d, which may name the objects of another repository`
  const packIndex = await files.readBytes(path)
  if (packIndex.kind === 'absent') return null
  const isOwn = packIndex.kind === 'found' && namesOnlyOwnPacks(packIndex.content)
  return isOwn ? null : `${path}, which may name the objects of another repository`
}

const MULTI_PACK_HEADER_BYTES = 12
const CHUNK_ROW_BYTES = 12

/** Whether the chunk with the names of the packs contains only names such as `pack-1a2b.idx`. */
function namesOnlyOwnPacks(packIndex: Buffer): boolean {
  const chunkCount = packIndex[6] ?? 0
  const tableEnd = MULTI_PACK_HEADER_BYTES + chunkCount * CHUNK_ROW_BYTES
  // The last row of the table, which is not counted, only marks the end of the last chunk.
  if (packIndex.toString('latin1', 0, 4) !== 'MIDX' || packIndex.length < tableEnd + CHUNK_ROW_BYTES) return false
  const names: string[] = []
  for (let at = MULTI_PACK_HEADER_BYTES; at < tableEnd; at += CHUNK_ROW_BYTES) {
    if (packIndex.toString('latin1', at, at + 4) !== 'PNAM') continue
    const start = Number(packIndex.readBigUInt64BE(at + 4))
    names.push(packIndex.toString('latin1', start, Number(packIndex.readBigUInt64BE(at + 4 + CHUNK_ROW_BYTES))))
  }
  return names.length === 1 && /^(?:pack-[0-9a-f]+\.idx\0)+\0*$/.test(names[0] ?? '')
}

function isSameFile(pathA: string, pathB: string): boolean {
  return toRealPath(pathA) === toRealPath(pathB)
}
