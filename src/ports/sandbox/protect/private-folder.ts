import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateTemporaryFolder } from '../../../system/private-folders.js'
import type { Mount } from '../mounts.js'

/** The private files of one sandbox: an unreadable file, system call filters, and temporary files. */
export interface PrivateFolder {
  readonly path: string
  readonly deniedFile: string
  readonly temporaryFolder: string
  readonly filter: string | undefined
  /** The system call filter for commands that may not write. */
  readonly readingFilter: string | undefined
  /** The mounts that make `path` read-only except for `temporaryFolder`, even if `path` is inside a writable folder. */
  readonly mounts: readonly Mount[]
  remove(): void
}

export interface Filters {
  readonly filter?: Uint8Array | undefined
  readonly readingFilter?: Uint8Array | undefined
}

export function makePrivateFolder(parent: string, { filter, readingFilter }: Filters = {}): PrivateFolder {
  const path = makePrivateTemporaryFolder(parent, 'sandbox')
  const deniedFile = join(path, 'denied')
  writeFileSync(deniedFile, '')
  chmodSync(deniedFile, 0o000)
  const temporaryFolder = join(path, 'tmp')
  mkdirSync(temporaryFolder, { mode: 0o700 })
  const [filterFile, readingFilterFile] = [join(path, 'filter'), join(path, 'reading-filter')]
  if (filter !== undefined) writeFileSync(filterFile, filter)
  if (readingFilter !== undefined) writeFileSync(readingFilterFile, readingFilter)
  const remove = () => rmSync(path, { recursive: true, force: true })
  process.once('exit', remove)
  return {
    path,
    deniedFile,
    temporaryFolder,
    filter: filter && filterFile,
    readingFilter: readingFilter && readingFilterFile,
    mounts: [
      { path, kind: 'read-only' },
      { path: temporaryFolder, kind: 'writable' },
    ],
    remove() {
      process.off('exit', remove)
      remove()
    },
  }
}
