import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readAtMost } from './read-text-file.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haft-most-'))
})
afterEach(() => rm(folder, { recursive: true }))

test.each([
  ['', ''],
  ['1234', '1234'],
  ['12345', undefined],
])('reading %j with a limit of four bytes returns %j', async (text, expected) => {
  await writeFile(join(folder, 'file'), text)
  const handle = await open(join(folder, 'file'))

  const bytes = await readAtMost(handle, 4)
  await handle.close()

  expect(bytes?.toString()).toBe(expected)
})

test('readAtMost stops at the limit if the file grows while it is read', async () => {
  const file = await open(join(folder, 'log'), 'w+')
  let size = 0
  const growingFile = {
    async read(buffer: Buffer, offset: number, length: number) {
      await file.write('more', size)
      const { bytesRead } = await file.read(buffer, offset, Math.min(length, 4), size)
      size += bytesRead
      return { bytesRead, buffer }
    },
  }

  const bytes = await readAtMost(growingFile as never, 1_000)
  await file.close()

  expect([bytes, size]).toEqual([undefined, 1_001])
})
