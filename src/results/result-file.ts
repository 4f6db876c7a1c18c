import { close, ftruncate, mkdirSync, openSync, write, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { makeFolder } from '../shared/make-folder.js'
import { resultPaths } from './result-paths.js'

/** A new file that bytes are written to by position, so that a late write cannot disturb a later one. */
export interface ResultFile {
  readonly path: string
  write(bytes: Uint8Array, position: number): Promise<void>
  /** The same, with the whole process waiting for the disk. */
  writeNow(bytes: Uint8Array, position: number): void
  truncate(length: number): Promise<void>
  close(): Promise<void>
}

/** Opens the first free path of an id, readable by this user alone; throws where nothing can be written. */
export function openResultFile(directory: string, id: string): ResultFile {
  for (const path of resultPaths(directory, id)) {
    const file = createResultFile(path)
    if (file !== undefined) return file
  }
  throw new Error('every name for its file is taken')
}

/** Undefined where something is there already, be it a link. */
export function createResultFile(path: string): ResultFile | undefined {
  makeFolder(dirname(path), mkdirSync)
  try {
    return fileOf(path, openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
    throw error
  }
}

const writeAt = promisify(write)
const truncateTo = promisify(ftruncate)
const closeFile = promisify(close)

function fileOf(path: string, fd: number): ResultFile {
  return {
    path,
    async write(bytes, position) {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await writeAt(fd, bytes, done, bytes.length - done, position + done)
        done += bytesWritten
      }
    },
    writeNow(bytes, position) {
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(fd, bytes, done, bytes.length - done, position + done)
      }
    },
    truncate: (length) => truncateTo(fd, length),
    close: () => closeFile(fd),
  }
}
