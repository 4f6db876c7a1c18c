import { chmod, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { PrivateFiles } from '../../contract/host/private-files.js'
import { withFileLock } from '../../system/file-lock.js'
import { makeFolder } from '../../system/make-folder.js'
import { writeFileAtomically } from '../../system/write-file-atomically.js'
import { readTextFile } from './read-text-file.js'
import { resolveLinks } from './resolve-real-path.js'

/** Enough for the largest file: the pins of a server with a thousand tools take a few megabytes. */
const MAX_BYTES = 32 * 1024 * 1024

/** A private file exists but cannot be read. */
export class PrivateFileError extends Error {
  override readonly name = 'PrivateFileError'
}

/** Gives access to files with mode 0600 in a folder with mode 0700. */
export function openPrivateFiles(folder: string): PrivateFiles {
  return {
    read: (name) => readText(join(folder, name)),
    async change(name, edit) {
      const file = await resolveLinks(join(folder, name))
      await makePrivate(dirname(file))
      await withFileLock(file, async (checkLockHeld) => {
        const textBefore = await readText(file)
        const textAfter = await edit(textBefore)
        if (textAfter === textBefore) return
        if (textAfter === undefined) {
          await checkLockHeld()
          await rm(file, { force: true })
        } else
          await writeFileAtomically(file, textAfter, { mode: 0o600, keepsMode: false, beforeRename: checkLockHeld })
      })
    },
  }
}

async function readText(file: string): Promise<string | undefined> {
  const textFile = await readTextFile(file, MAX_BYTES)
  if (textFile.kind === 'failed') throw new PrivateFileError(`${file} ${textFile.reason}`)
  return textFile.kind === 'text' ? textFile.text : undefined
}

async function makePrivate(folder: string): Promise<void> {
  makeFolder(folder, { isDurable: true })
  const { mode } = await stat(folder)
  // The folder may belong to another user; the files in it are still private.
  if ((mode & 0o077) !== 0) await chmod(folder, 0o700).catch(() => {})
}
