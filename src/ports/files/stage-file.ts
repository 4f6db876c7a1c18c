import { type BigIntStats, constants } from 'node:fs'
import { access, rm } from 'node:fs/promises'
import type { FileContent } from '../../shared/file-content.js'
import { temporaryName, writeNewFile } from '../../system/write-file-atomically.js'
import type { FolderPlace } from './folder-place.js'

/** New content in a temporary file beside the file that it will replace. */
export interface StagedFile {
  readonly name: string
  readonly place: string | Buffer
  readonly stats: BigIntStats
  drop(): Promise<void>
}

/** Writes new content to the disk, with the owner and the mode of the file that it will replace. */
export async function stageFile(
  folder: FolderPlace,
  content: FileContent,
  { former, mode }: { readonly former: BigIntStats | undefined; readonly mode: number | undefined },
): Promise<StagedFile> {
  const name = temporaryName()
  const place = folder.at(name)
  const newMode = mode ?? (former === undefined ? undefined : Number(former.mode & 0o7777n))
  const stats = await writeNewFile(place, content, { mode: newMode, owner: former })
  return { name, place, stats, drop: () => rm(place, { force: true }) }
}

/** Refuses to replace a read-only file, although its folder would permit it. */
export async function checkWritable(place: string | Buffer, former: BigIntStats | undefined): Promise<void> {
  if (former !== undefined) await access(place, constants.W_OK)
}
