import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { makeFolder } from '../../system/make-folder.js'
import { formatIdentity, hasEnded } from '../../system/processes/process-identity.js'
import { isAbandonedTemporary, writeFileAtomically } from '../../system/write-file-atomically.js'
import { type ChangeRecord, dropBackups, rollBack } from './change-step.js'

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
