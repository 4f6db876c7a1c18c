import { type BigIntStats, constants } from 'node:fs'
import { access, type FileHandle, open, rm } from 'node:fs/promises'
import { type FileContent, lengthOf, piecesOf, wholeOf } from '../../shared/file-content.js'
import type { FolderPlace } from './folder-place.js'
import { temporaryName } from './litter.js'

const SMALL_BYTES = 256 * 1024

/** Content that lies ready beside the file it will replace. */
export interface StagedFile {
  readonly name: string
  readonly place: string | Buffer
  readonly stats: BigIntStats
  drop(): Promise<void>
}

/** Writes new content to the disk, with the rights of the file it will replace. */
export async function stageFile(
  folder: FolderPlace,
  content: FileContent,
  { former, mode }: { readonly former: BigIntStats | undefined; readonly mode: number | undefined },
): Promise<StagedFile> {
  const name = temporaryName()
  const place = folder.at(name)
  const drop = () => rm(place, { force: true })
  const wanted = mode ?? (former === undefined ? undefined : Number(former.mode & 0o7777n))
  const handle = await open(place, 'wx', wanted === undefined ? 0o666 : 0o600)
  try {
    await writeForGood(handle, fewPieces(content), former, wanted)
    return { name, place, stats: await handle.stat({ bigint: true }), drop }
  } catch (error) {
    await drop()
    throw error
  } finally {
    await handle.close()
  }
}

async function writeForGood(
  handle: FileHandle,
  pieces: readonly Uint8Array[],
  former: BigIntStats | undefined,
  mode: number | undefined,
): Promise<void> {
  await fill(handle, pieces)
  if (former !== undefined) await keepOwner(handle, former)
  if (mode !== undefined) await handle.chmod(mode)
  // Not yet on the disk, a rename could be there before the content is.
  await handle.datasync()
}

/** A file that may not be written to is not replaced either, though its folder would allow it. */
export async function checkWritable(place: string | Buffer, former: BigIntStats | undefined): Promise<void> {
  if (former !== undefined) await access(place, constants.W_OK)
}

/** To copy a little is sooner done than to write it piece by piece. */
function fewPieces(content: FileContent): readonly Uint8Array[] {
  return lengthOf(content) > SMALL_BYTES ? piecesOf(content) : [wholeOf(content)]
}

async function fill(handle: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const { bytesWritten } = await handle.write(piece, at, piece.length - at)
      at += bytesWritten
    }
  }
}

/** Only root may give a file away; for others the file becomes their own. */
async function keepOwner(handle: FileHandle, { uid, gid }: BigIntStats): Promise<void> {
  const own = await handle.stat({ bigint: true })
  if (own.uid !== uid || own.gid !== gid) await handle.chown(Number(uid), Number(gid)).catch(() => {})
}
