import { randomBytes } from 'node:crypto'
import { renameSync, rmSync, unlinkSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { toPathBytes } from '../../../shared/path-bytes.js'
import { makeFolder } from '../../../system/make-folder.js'
import { formatIdentity, hasEnded } from '../../../system/processes/process-identity.js'
import { isAbandonedTemporary, writeFileAtomically } from '../../../system/write-file-atomically.js'
import { statEntry } from '../read/known-file.js'
import { openFolder, removeFolders } from './open-folder.js'
import { linkWithoutReplacing } from './write-file.js'

const RECORD_NAME = /^([0-9a-f]+-\d+-\d+)-[0-9a-f]+\.json$/

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

/** A journal of changes to several files, used to roll back an interrupted change. */
export interface ChangeJournal {
  /** Stores a record and resolves when it is on disk. Call the returned function to remove the record. */
  begin(record: ChangeRecord): Promise<() => Promise<void>>
  /** Rolls back the changes of killed processes. Resolves to false if a change could not be rolled back. */
  recover(): Promise<boolean>
}

export function createChangeJournal(folder: string): ChangeJournal {
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
        // The record was never complete, so nothing had been changed yet.
        if (isAbandonedTemporary(name)) await rm(join(folder, name), { force: true })
        const owner = RECORD_NAME.exec(name)?.[1]
        if (owner !== undefined && hasEnded(owner)) isClean = (await rollBackRecord(join(folder, name))) && isClean
      }
      return isClean
    },
  }
}

async function rollBackRecord(file: string): Promise<boolean> {
  try {
    const record = recordSchema().parse(JSON.parse(await readFile(file, 'utf8')))
    await rollBack(record)
    dropBackups(record)
    await rm(file, { force: true })
    return true
  } catch {
    // The next start tries again. Until then, files that the rollback needs must not be cleaned up.
    return false
  }
}

/** One entry of a folder that a change replaces (`staged` and `backup`), creates (`staged`) or removes (`backup`). */
export interface ChangeStep {
  readonly folder: string
  readonly name: string
  /** The prepared replacement, in the same folder. */
  staged?: { readonly name: string; readonly ino: string; readonly mtimeNs: string } | undefined
  /** The backup of the former entry, in the same folder. */
  backup?: string | undefined
}

/** The information needed to roll back an interrupted change. */
export interface ChangeRecord {
  readonly steps: readonly ChangeStep[]
  readonly madeFolders: readonly string[]
}

/** Restores the state before the change. Entries that another program has replaced since then are left alone. */
export async function rollBack({ steps, madeFolders }: ChangeRecord): Promise<void> {
  for (const step of [...steps].reverse()) await rollBackStep(step)
  await removeFolders(madeFolders)
}

async function rollBackStep({ folder: path, name, staged, backup }: ChangeStep): Promise<void> {
  if (statEntry(toPathBytes(path)) === undefined) return
  const folder = await openFolder(path, { shouldCreate: false })
  try {
    const entryPath = folder.at(name)
    const backupPath = backup === undefined ? undefined : folder.at(backup)
    const currentStats = statEntry(entryPath)
    const isStagedFile =
      currentStats !== undefined &&
      String(currentStats.ino) === staged?.ino &&
      String(currentStats.mtimeNs) === staged.mtimeNs
    if (backupPath !== undefined && statEntry(backupPath) !== undefined) {
      if (isStagedFile) renameSync(backupPath, entryPath)
      else if (currentStats === undefined) linkWithoutReplacing(backupPath, entryPath)
      else rmSync(backupPath, { force: true })
    } else if (isStagedFile) unlinkSync(entryPath)
    if (staged !== undefined) rmSync(folder.at(staged.name), { force: true })
  } finally {
    await folder.close()
  }
}

/** Removes the backups of a change that was completed or rolled back. */
export function dropBackups({ steps }: ChangeRecord): void {
  for (const { folder, backup } of steps) {
    if (backup !== undefined) rmSync(toPathBytes(join(folder, backup)), { force: true })
  }
}
