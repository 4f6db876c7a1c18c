import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { SearchError } from '../../contract/ports/search.js'
import { pathBytes, pathText } from '../../shared/path-bytes.js'
import { pathBelow } from '../../shared/path-containment.js'

/** The start of a search, held open, so that names of any bytes can be searched and the folder cannot be replaced. */
export interface SearchRoot {
  readonly cwd: string
  readonly isFolder: boolean
  /** Must come last on the command line of ripgrep. */
  readonly arguments: readonly string[]
  readonly descriptor: number | undefined
  /** Converts a path printed by ripgrep to the form shown in results. */
  show(printed: Buffer): string
  /** Converts a printed path to an absolute path. */
  absolute(printed: Buffer): string
  /** Converts a printed path to the form for system calls. */
  filePathOf(printed: Buffer): string | Buffer
  close(): Promise<void>
}

const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** Opens the start of a search. Paths below `base` are shown relative to it, others absolute. */
export async function openRoot(path: string, base: string | undefined): Promise<SearchRoot> {
  const handle = await openHandle(path)
  try {
    const stats = await handle.stat()
    const shown = base === undefined ? path : toShownPath(base, path)
    const close = () => handle.close()
    if (stats.isDirectory()) return createFolderRoot(path, shown, handle, close)
    if (!stats.isFile()) throw new SearchError(`${path} is a device, pipe or socket and cannot be searched.`)
    return createFileRoot(path, shown, handle, close)
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function openHandle(path: string): Promise<FileHandle> {
  try {
    return await open(pathBytes(path), OPEN_FLAGS)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new SearchError(code === 'ENOENT' ? `${path} does not exist.` : `${path} cannot be searched (${code}).`, {
      cause,
    })
  }
}

function createFolderRoot(path: string, shown: string, handle: FileHandle, close: () => Promise<void>): SearchRoot {
  const bytes = pathBytes(path)
  return {
    // Node accepts `cwd` only as a string. A folder whose path is not valid UTF-8 is passed as its /proc/self/fd path.
    cwd: typeof bytes === 'string' ? path : `/proc/self/fd/${handle.fd}`,
    isFolder: true,
    // Reading files in these folders can block forever.
    arguments: path === '/' ? ['--glob', '!/proc', '--glob', '!/sys/kernel'] : [],
    descriptor: undefined,
    show: (printed) => (shown === '' ? pathText(printed) : `${shown.replace(/\/$/, '')}/${pathText(printed)}`),
    absolute: (printed) => join(path, pathText(printed)),
    filePathOf: (printed) => joinPathBytes(bytes, printed),
    close,
  }
}

/** Called for every file, so the common case is fast. */
function joinPathBytes(folder: string | Buffer, printed: Buffer): string | Buffer {
  const text = printed.toString('utf8')
  if (typeof folder === 'string' && !text.includes('\ufffd')) return `${folder}/${text}`
  return Buffer.concat([Buffer.from(folder), Buffer.from('/'), printed])
}

function createFileRoot(path: string, shown: string, handle: FileHandle, close: () => Promise<void>): SearchRoot {
  const hasTextPath = typeof pathBytes(path) === 'string'
  return {
    cwd: hasTextPath ? dirname(path) : '/',
    isFolder: false,
    arguments: ['--', hasTextPath ? join('.', basename(path)).replace(/^(?!\.\/)/, './') : '/proc/self/fd/3'],
    descriptor: hasTextPath ? undefined : handle.fd,
    show: () => shown,
    absolute: () => path,
    filePathOf: () => pathBytes(path),
    close,
  }
}

function toShownPath(base: string, path: string): string {
  return pathBelow(path, base) ?? path
}
