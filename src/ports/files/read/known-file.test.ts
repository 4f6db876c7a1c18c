import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFiles } from '../create-files.js'

const LATER_MS = 60_000
const LARGE = Buffer.alloc(2 * 1024 ** 2, 'a')

let folder: string
let path: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-files-')))
  path = join(folder, 'large')
  writeFileSync(path, LARGE)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + LATER_MS })
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true })
})

test('a large file that was not changed since it was read can be replaced', async () => {
  const files = createFiles({ journalFolder: join(folder, 'journal') })
  const { content } = await files.read(path)
  await files.write(path, Buffer.from('new'), { expected: { content } })

  expect(readFileSync(path, 'utf8')).toBe('new')
})

test.each<[string, (changed: Buffer) => void]>([
  ['in place', (changed) => writeFileSync(path, changed)],
  [
    'in place, with its modification time restored,',
    (changed) => {
      const { atime, mtime } = statSync(path)
      writeFileSync(path, changed)
      utimesSync(path, atime, mtime)
    },
  ],
])('a large file that was changed %s since it was read cannot be replaced', async (_, change) => {
  const files = createFiles({ journalFolder: join(folder, 'journal') })
  const { content } = await files.read(path)
  const changed = Buffer.from(LARGE)
  changed[5] = 0x62
  change(changed)

  await expect(files.write(path, Buffer.from('new'), { expected: { content } })).rejects.toMatchObject({
    code: 'changed',
  })
  expect(readFileSync(path).equals(changed)).toBe(true)
})
