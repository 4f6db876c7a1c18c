import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFiles } from '../create-files.js'

const MINUTE_MS = 60_000
const LARGE_CONTENT = Buffer.alloc(2 * 1024 ** 2, 'a')

let folder: string
let path: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-files-')))
  path = join(folder, 'large')
  writeFileSync(path, LARGE_CONTENT)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + MINUTE_MS })
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

test.each<[string, (changedContent: Buffer) => void]>([
  ['in place', (changedContent) => writeFileSync(path, changedContent)],
  [
    'in place, with its modification time restored,',
    (changedContent) => {
      const { atime, mtime } = statSync(path)
      writeFileSync(path, changedContent)
      utimesSync(path, atime, mtime)
    },
  ],
])('a large file that was changed %s since it was read cannot be replaced', async (_, change) => {
  const files = createFiles({ journalFolder: join(folder, 'journal') })
  const { content } = await files.read(path)
  const changedContent = Buffer.from(LARGE_CONTENT)
  changedContent[5] = 0x62
  change(changedContent)

  await expect(files.write(path, Buffer.from('new'), { expected: { content } })).rejects.toMatchObject({
    code: 'changed',
  })
  expect(readFileSync(path).equals(changedContent)).toBe(true)
})
