import { mkdirSync, mkdtempSync, realpathSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { createCheckpoints } from '../src/ports/checkpoints/create-checkpoints.js'
import { mountUntilTestEnd, needsMount, testMount } from '../src/testing/files/mounts.js'

testMount(`if the disk for checkpoints is full, no call runs that could not be undone${needsMount}`, async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'haft-full-')))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const checkpointsFolder = join(home, 'kept')
  mkdirSync(checkpointsFolder)
  mountUntilTestEnd(['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', checkpointsFolder], checkpointsFolder)
  const checkpoints = createCheckpoints({ folder: checkpointsFolder, session: 's' })
  await checkpoints.save('first', [join(home, 'new-0')])
  // Fills the disk except for one block.
  const { bavail, bsize } = statfsSync(checkpointsFolder)
  writeFileSync(join(checkpointsFolder, 'full'), Buffer.alloc((bavail - 1) * bsize))

  let savedCount = 1
  const saveUntilFull = async () => {
    for (; savedCount < 1000; savedCount++)
      await checkpoints.save(`call ${savedCount}`, [join(home, `new-${savedCount}`)])
  }

  const failure = await saveUntilFull().catch((error: unknown) => error)
  const records = await checkpoints.list()
  await checkpoints.close()

  expect(failure).toMatchObject({ code: 'ENOSPC' })
  expect(records).toHaveLength(savedCount)
})
