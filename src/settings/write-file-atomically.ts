import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

export interface AtomicWriteOptions {
  /** The mode of a new file; the process's default unless given. */
  readonly mode: number | undefined
  /** A file that exists keeps its mode, unless this is false. */
  readonly keepsMode?: boolean
  /** The last chance to call it off, by throwing. */
  readonly beforeRename?: () => Promise<void>
}

/** Replaces a file in one step, keeping its owner: readers see the old text or the new one, after a crash too. */
export async function writeFileAtomically(
  file: string,
  text: string,
  { mode, keepsMode = true, beforeRename }: AtomicWriteOptions,
): Promise<void> {
  const former = await stat(file).catch(() => undefined)
  const wanted = keepsMode && former !== undefined ? former.mode & 0o7777 : mode
  const temporary = join(dirname(file), `.${basename(file)}.${randomUUID()}.tmp`)
  try {
    const handle = await open(temporary, 'wx', wanted === undefined ? 0o666 : 0o600)
    await fill(handle, text, { mode: wanted, owner: former })
    await beforeRename?.()
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncFolder(dirname(file))
}

async function fill(
  handle: FileHandle,
  text: string,
  { mode, owner }: { mode: number | undefined; owner: { uid: number; gid: number } | undefined },
): Promise<void> {
  try {
    await handle.writeFile(text)
    // Only root may give a file away; for others the file stays their own.
    if (owner !== undefined) await handle.chown(owner.uid, owner.gid).catch(() => {})
    if (mode !== undefined) await handle.chmod(mode)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes the rename itself last; not every platform can open a folder. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => undefined)
  if (handle === undefined) return
  try {
    await handle.sync().catch(() => {})
  } finally {
    await handle.close()
  }
}
