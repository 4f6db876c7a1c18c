import { renameSync, rmSync, unlinkSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathBytes } from '../../shared/path-bytes.js'
import { openFolder } from './folder-place.js'
import { lookAt } from './known-file.js'
import { putWhereNothingIs } from './write-file.js'

/** One entry of a folder that a change replaces (`staged` and `backup`), makes (`staged`) or removes (`backup`). */
export interface ChangeStep {
  readonly folder: string
  readonly name: string
  /** What comes in its place, as it lies ready in the folder. */
  staged?: { readonly name: string; readonly ino: string; readonly mtimeNs: string } | undefined
  /** What was there, kept in the folder. */
  backup?: string | undefined
}

/** What it takes to undo a change that was stopped halfway. */
export interface ChangeRecord {
  readonly steps: readonly ChangeStep[]
  readonly madeFolders: readonly string[]
}

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
