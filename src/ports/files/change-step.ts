import { renameSync, rmSync, unlinkSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { pathBytes } from '../../shared/path-bytes.js'
import { openFolder } from './folder-place.js'
import { lookAt } from './known-file.js'
import { putWhereNothingIs } from './write-file.js'

/** One entry of a folder that a change replaces (`staged`), removes (`backup` alone) or makes (`staged` alone). */
export const changeStepSchema = z.object({
  folder: z.string(),
  name: z.string(),
  /** What comes in its place, as it lies ready in the folder. */
  staged: z.object({ name: z.string(), ino: z.string(), mtimeNs: z.string() }).optional(),
  /** What was there, kept in the folder. */
  backup: z.string().optional(),
})
export type ChangeStep = z.infer<typeof changeStepSchema>

export const changeRecordSchema = z.object({ steps: z.array(changeStepSchema), madeFolders: z.array(z.string()) })
/** What it takes to undo a change that was stopped halfway. */
export type ChangeRecord = z.infer<typeof changeRecordSchema>

/** Puts everything back as it was before the change; what somebody else has put there since is left alone. */
export async function rollBack({ steps, madeFolders }: ChangeRecord): Promise<void> {
  for (const step of [...steps].reverse()) await rollBackStep(step)
  for (const folder of [...madeFolders].reverse()) await rmdir(pathBytes(folder)).catch(() => {})
}

async function rollBackStep({ folder: path, name, staged, backup }: ChangeStep): Promise<void> {
  if (lookAt(pathBytes(path)) === undefined) return
  const folder = await openFolder(path, { make: false })
  try {
    const place = folder.at(name)
    const kept = backup === undefined ? undefined : folder.at(backup)
    const now = lookAt(place)
    const isOurs = now !== undefined && String(now.ino) === staged?.ino && String(now.mtimeNs) === staged.mtimeNs
    if (kept !== undefined && lookAt(kept) !== undefined) {
      if (isOurs) renameSync(kept, place)
      else if (now === undefined) putWhereNothingIs(kept, place)
      else rmSync(kept, { force: true })
    } else if (isOurs) unlinkSync(place)
    if (staged !== undefined) rmSync(folder.at(staged.name), { force: true })
  } finally {
    await folder.close()
  }
}

/** Removes what was kept to undo a change that has been made. */
export function dropBackups({ steps }: ChangeRecord): void {
  for (const { folder, backup } of steps) {
    if (backup !== undefined) rmSync(pathBytes(join(folder, backup)), { force: true })
  }
}
