import { constants, existsSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { SearchError } from '../../contract/ports/search.js'
import { toPathBytes, toPathText } from '../../shared/path-bytes.js'
import { toRelativePath } from '../../shared/path-containment.js'
import { isProcessSecret } from '../../shared/process-secrets.js'
import { createMovedError, readOpenedPath } from '../paths/opened-path.js'

/**
 * The start of a search. It is held open and passed to ripgrep as a descriptor, so that names with any bytes can be searched
 * and the path cannot lead elsewhere during the search. Without /proc, ripgrep gets the real path, which could still be replaced.
 */
export interface SearchRoot {
  readonly realPath: string
  readonly cwd: string
  readonly isFolder: boolean
  /** Arguments that must come last on the command line of ripgrep. */
  readonly arguments: readonly string[]
  readonly descriptor: number | undefined
  /** Returns the part of a printed path that globs are compared with. */
  toGlobName(printedPath: Buffer): string
  /** Converts a path printed by ripgrep to the form shown in results. */
  show(printedPath: Buffer): string
  /** Converts a printed path to an absolute path. */
  toAbsolutePath(printedPath: Buffer): string
  /** Converts a printed path to the form that system calls need. */
  toFilePath(printedPath: Buffer): string | Buffer
  close(): Promise<void>
}

const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** Opens the start of a search. Paths below `baseFolder` are shown relative to it, others as absolute paths. */
export async function openRoot(
  path: string,
  baseFolder: string | undefined,
  approvedPath: string | undefined,
): Promise<SearchRoot> {
  const handle = await openHandle(path)
  try {
    const stats = await handle.stat()
    const realPath = readOpenedPath(handle.fd, stats, path)
    if (approvedPath !== undefined && realPath !== approvedPath) throw createMovedError(path)
    if (isProcessSecret(realPath) || (stats.isDirectory() && /^\/proc(?:\/|$)/.test(realPath)))
      throw new SearchError(
        `${path} is not searched: reading some files of /proc could block or never end, and others show the environment variables of processes. Read a single file of it instead.`,
      )
    const openedRoot = {
      path,
      realPath,
      shownPath: baseFolder === undefined ? path : toShownPath(baseFolder, path),
      handle,
    }
    if (stats.isDirectory()) return createFolderRoot(openedRoot)
    if (!stats.isFile()) throw new SearchError(`${path} is a device, pipe or socket and cannot be searched.`)
    return createFileRoot(openedRoot)
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function openHandle(path: string): Promise<FileHandle> {
  try {
    return await open(toPathBytes(path), OPEN_FLAGS)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new SearchError(code === 'ENOENT' ? `${path} does not exist.` : `${path} cannot be searched (${code}).`, {
      cause,
    })
  }
}

interface OpenedRoot {
  readonly path: string
  readonly realPath: string
  readonly shownPath: string
  readonly handle: FileHandle
}

function createFolderRoot({ path, realPath, shownPath, handle }: OpenedRoot): SearchRoot {
  const cwd = findDescriptorPath(handle) ?? realPath
  return {
    realPath,
    cwd,
    isFolder: true,
    // Reading some files in these folders blocks forever.
    arguments: realPath === '/' ? ['--glob', '!/proc', '--glob', '!/sys/kernel'] : [],
    descriptor: undefined,
    toGlobName: (printedPath) => printedPath.toString('utf8'),
    show: (printedPath) =>
      shownPath === '' ? toPathText(printedPath) : `${shownPath.replace(/\/$/, '')}/${toPathText(printedPath)}`,
    toAbsolutePath: (printedPath) => join(path, toPathText(printedPath)),
    toFilePath: (printedPath) => joinPathBytes(cwd, printedPath),
    close: () => handle.close(),
  }
}

/** Returns undefined on systems without /proc. */
function findDescriptorPath({ fd }: FileHandle): string | undefined {
  return existsSync(`/proc/self/fd/${fd}`) ? `/proc/self/fd/${fd}` : undefined
}

/** Joins a folder and a printed path. Called for every file, so the common case must be fast. */
function joinPathBytes(folder: string, printedPath: Buffer): string | Buffer {
  const text = printedPath.toString('utf8')
  if (!text.includes('\ufffd')) return `${folder}/${text}`
  return Buffer.concat([Buffer.from(folder), Buffer.from('/'), printedPath])
}

function createFileRoot({ path, realPath, shownPath, handle }: OpenedRoot): SearchRoot {
  const hasDescriptor = findDescriptorPath(handle) !== undefined
  return {
    realPath,
    cwd: hasDescriptor ? '/' : dirname(realPath),
    isFolder: false,
    arguments: ['--', hasDescriptor ? '/proc/self/fd/3' : `./${basename(realPath)}`],
    descriptor: hasDescriptor ? handle.fd : undefined,
    toGlobName: () => basename(path),
    show: () => shownPath,
    toAbsolutePath: () => path,
    toFilePath: () => findDescriptorPath(handle) ?? realPath,
    close: () => handle.close(),
  }
}

function toShownPath(baseFolder: string, path: string): string {
  return toRelativePath(path, baseFolder) ?? path
}
