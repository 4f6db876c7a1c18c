import { mkdirSync, mkdtempSync, realpathSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { createCheckpoints } from '../src/ports/checkpoints/create-checkpoints.js'
import { mountFor, needsMount, testMount } from '../src/testing/files/mounts.js'

testMount(`if the disk for checkpoints is full, no call runs that could not be undone${needsMount}`, async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'haft-full-')))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const kept = join(home, 'kept')
  mkdirSync(kept)
  mountFor(['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', kept], kept)
  const checkpoints = createCheckpoints({ folder: kept, session: 's' })
  await checkpoints.save('first', [join(home, 'new-0')])
  // All of the space except for a few lines.
  const { bavail, bsize } = statfsSync(kept)
  writeFileSync(join(kept, 'full'), Buffer.alloc((bavail - 1) * bsize))

  let savedCount = 1
  const fill = async () => {
    for (; savedCount < 1000; savedCount++)
      await checkpoints.save(`call ${savedCount}`, [join(home, `new-${savedCount}`)])
  }

  const failure = await fill().catch((error: unknown) => error)
  const listed = await checkpoints.list()
  await checkpoints.close()

  expect(failure).toMatchObject({ code: 'ENOSPC' })
  expect(listed).toHaveLength(savedCount)
})
