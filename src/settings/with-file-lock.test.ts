import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withFileLock } from './with-file-lock.js'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haft-lock-'))
  file = join(folder, 'settings.json')
})
afterEach(() => rm(folder, { recursive: true }))

test('changes come one after the other', async () => {
  let inside = 0
  let most = 0
  const change = async () => {
    most = Math.max(most, ++inside)
    await readFile(`${file}.lock`)
    inside--
  }

  await Promise.all(Array.from({ length: 8 }, () => withFileLock(file, change)))

  expect(most).toBe(1)
  expect(await readdir(folder)).toEqual([])
})

test('a change whose lock was taken away starts anew', async () => {
  let runs = 0

  const answer = await withFileLock(file, async (stillHeld) => {
    runs++
    if (runs === 1) await rm(`${file}.lock`)
    await stillHeld()
    return `run ${runs}`
  })

  expect(answer).toBe('run 2')
})

test("the lock of another is left alone, and a change's own error comes through", async () => {
  const change = withFileLock(file, async () => {
    await writeFile(`${file}.lock`, 'of another')
    throw new Error('disk full')
  })

  await expect(change).rejects.toThrow('disk full')
  expect(await readFile(`${file}.lock`, 'utf8')).toBe('of another')
})

test('a holder that works long shows that it lives', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    await withFileLock(file, async (stillHeld) => {
      const long = new Date(Date.now() - 60_000)
      await utimes(`${file}.lock`, long, long)
      vi.advanceTimersByTime(5_000)
      await vi.waitFor(async () => expect((await stat(`${file}.lock`)).mtimeMs).toBeGreaterThan(long.getTime()))
      await stillHeld()
    })
  } finally {
    vi.useRealTimers()
  }
})
