import { randomBytes } from 'node:crypto'
import { renameSync, rmSync, unlinkSync } from 'node:fs'
import { readdir, readFile, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { pathBytes } from '../../../shared/path-bytes.js'
import { makeFolder } from '../../../system/make-folder.js'
import { formatIdentity, hasEnded } from '../../../system/processes/process-identity.js'
import { isAbandonedTemporary, writeFileAtomically } from '../../../system/write-file-atomically.js'
import { lookAt } from '../read/known-file.js'
import { openFolder } from './folder-place.js'
import { putWhereNothingIs } from './write-file.js'

const NAME = /^([0-9a-f]+-\d+-\d+)-[0-9a-f]+\.json$/

const recordSchema = () =>
  z.object({
    steps: z.array(
      z.object({
        folder: z.string(),
        name: z.string(),
        staged: z.object({ name: z.string(), ino: z.string(), mtimeNs: z.string() }).optional(),
        backup: z.string().optional(),
      }),
    ),
    madeFolders: z.array(z.string()),
  })

/** Notes of changes to several files that are being made, so that one that was stopped halfway can be taken back. */
export interface ChangeJournal {
  /** Written down for good when this resolves; gives what strikes it out again. */
  begin(record: ChangeRecord): Promise<() => Promise<void>>
  /** Takes back what killed processes left halfway; false where that was not possible for all. */
  recover(): Promise<boolean>
}

export function changeJournal(folder: string): ChangeJournal {
  return {
    async begin(record) {
      makeFolder(folder)
      const file = join(folder, `${formatIdentity()}-${randomBytes(6).toString('hex')}.json`)
      await writeFileAtomically(file, JSON.stringify(record), { mode: 0o600 })
      return () => rm(file, { force: true })
    },
    async recover() {
      const names = await readdir(folder).catch(() => [])
      let isClean = true
      for (const name of names) {
        // A record that was not complete yet: nothing had been changed.
        if (isAbandonedTemporary(name)) await rm(join(folder, name), { force: true })
        const owner = NAME.exec(name)?.[1]
        if (owner !== undefined && hasEnded(owner)) isClean = (await takeBack(join(folder, name))) && isClean
      }
      return isClean
    },
  }
}

async function takeBack(file: string): Promise<boolean> {
  try {
    const record = recordSchema().parse(JSON.parse(await readFile(file, 'utf8')))
    await rollBack(record)
    dropBackups(record)
    await rm(file, { force: true })
    return true
  } catch {
    // The next start tries again; until then nothing that it needs may be cleaned up.
    return false
  }
}

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
