import { type BigIntStats, constants } from 'node:fs'
import { access, type FileHandle, open, rm } from 'node:fs/promises'
import { contentHash } from '../../shared/content-hash.js'
import type { FolderPlace } from './folder-place.js'
import { temporaryName } from './litter.js'

/** Content that lies ready beside the file it will replace. */
export interface StagedFile {
  readonly name: string
  readonly place: string | Buffer
  readonly stats: BigIntStats
  readonly contentHash: string
  drop(): Promise<void>
}

/** Writes new content to the disk, with the rights of the file it will replace. */
export async function stageFile(
  folder: FolderPlace,
  content: Uint8Array,
  { former, mode }: { readonly former: BigIntStats | undefined; readonly mode: number | undefined },
): Promise<StagedFile> {
  const name = temporaryName()
  const place = folder.at(name)
  const drop = () => rm(place, { force: true })
  const wanted = mode ?? (former === undefined ? undefined : Number(former.mode & 0o7777n))
  const handle = await open(place, 'wx', wanted === undefined ? 0o666 : 0o600)
  try {
    await fill(handle, content)
    if (former !== undefined) await keepOwner(handle, former)
    if (wanted !== undefined) await handle.chmod(wanted)
    // Not yet on the disk, a rename could be there before the content is.
    const syncing = handle.datasync()
    // Meanwhile: this thread has nothing else to do for it.
    const hash = contentHash(content)
    await syncing
    return { name, place, stats: await handle.stat({ bigint: true }), contentHash: hash, drop }
  } catch (error) {
    await drop()
    throw error
  } finally {
    await handle.close()
  }
}

/** A file that may not be written to is not replaced either, though its folder would allow it. */
export async function checkWritable(place: string | Buffer, former: BigIntStats | undefined): Promise<void> {
  if (former !== undefined) await access(place, constants.W_OK)
}

async function fill(handle: FileHandle, content: Uint8Array): Promise<void> {
  for (let at = 0; at < content.length; ) {
    const { bytesWritten } = await handle.write(content, at, content.length - at)
    at += bytesWritten
  }
}

/** Only root may give a file away; for others the file becomes their own. */
async function keepOwner(handle: FileHandle, { uid, gid }: BigIntStats): Promise<void> {
  const own = await handle.stat({ bigint: true })
  if (own.uid !== uid || own.gid !== gid) await handle.chown(Number(uid), Number(gid)).catch(() => {})
}
