import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { makeFolder } from '../../shared/make-folder.js'
import { type ChangeRecord, dropBackups, rollBack } from './change-step.js'
import { isOwnerGone, ownerMark } from './owner-mark.js'

const NAME = /^([0-9a-f]+-\d+-\d+)-[0-9a-f]+\.json(\.new)?$/

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
      makeFolder(folder, mkdirSync)
      const file = join(folder, `${ownerMark()}-${randomBytes(6).toString('hex')}.json`)
      await writeDown(file, record)
      await syncFolder(folder)
      return () => rm(file, { force: true })
    },
    async recover() {
      const names = await readdir(folder).catch(() => [])
      let isClean = true
      for (const name of names) {
        const [, mark, isUnfinished] = NAME.exec(name) ?? []
        if (mark === undefined || !isOwnerGone(mark)) continue
        // Nothing had been changed yet.
        if (isUnfinished !== undefined) await rm(join(folder, name), { force: true })
        else isClean = (await takeBack(join(folder, name))) && isClean
      }
      return isClean
    },
  }
}

async function writeDown(file: string, record: ChangeRecord): Promise<void> {
  const handle = await open(`${file}.new`, 'wx', 0o600)
  try {
    await handle.writeFile(JSON.stringify(record))
    await handle.datasync()
  } finally {
    await handle.close()
  }
  await rename(`${file}.new`, file)
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

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  // Not every platform can open a folder.
  await handle?.sync().catch(() => {})
  await handle?.close()
}
