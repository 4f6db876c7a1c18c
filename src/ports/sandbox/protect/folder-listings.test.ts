import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FolderListings, readEntries } from './folder-listings.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'haft-listings-'))
  for (const name of ['a', 'b']) writeFileSync(join(folder, name), '')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Changes within one clock tick of the file system have the same ctime. */
const MORE_THAN_A_TICK_MS = 30

const isLinux = process.platform === 'linux'

/** Creates listings that record each folder that they read, with a clock that is `ageMs` ahead of that of the files. */
function countReads(ageMs: number) {
  const reads: string[] = []
  const listings = new FolderListings({
    read(path) {
      reads.push(path)
      return readEntries(path)
    },
    now: () => Date.now() + ageMs,
  })
  const list = (path = folder) =>
    listings
      .list(path)
      ?.map(({ name }) => name)
      .sort()
  return { list, reads }
}

test.runIf(isLinux)('a folder that has not changed is listed from the cache', () => {
  const { list, reads } = countReads(10_000)

  expect([list(), list(), list()]).toEqual([
    ['a', 'b'],
    ['a', 'b'],
    ['a', 'b'],
  ])
  expect(reads).toEqual([folder])
})

test.each([
  { change: 'added', act: () => writeFileSync(join(folder, '.envrc'), ''), names: ['.envrc', 'a', 'b'] },
  { change: 'removed', act: () => rmSync(join(folder, 'a')), names: ['b'] },
  { change: 'renamed', act: () => renameSync(join(folder, 'a'), join(folder, '.envrc')), names: ['.envrc', 'b'] },
])('a listing shows that an entry was $change, even if the mtime of the folder is set back', async ({ act, names }) => {
  const { list } = countReads(10_000)
  utimesSync(folder, 1_000, 1_000)
  list()
  await sleep(MORE_THAN_A_TICK_MS)

  act()
  utimesSync(folder, 1_000, 1_000)

  expect(list()).toEqual(names)
})

test('a folder that was replaced by another one is read again', () => {
  const { list } = countReads(10_000)
  const [inner, other] = [join(folder, 'inner'), join(folder, 'other')]
  mkdirSync(inner)
  list(inner)
  mkdirSync(join(other, '.vscode'), { recursive: true })

  rmSync(inner, { recursive: true })
  renameSync(other, inner)

  expect(list(inner)).toEqual(['.vscode'])
})

test('a folder that has just changed is read again, because a further change may have the same ctime', () => {
  const { list, reads } = countReads(0)
  list()
  list()

  expect(reads).toEqual([folder, folder])
})

test.runIf(isLinux)('a folder on a file system with its own clock, such as /proc, is always read again', () => {
  const { list, reads } = countReads(10_000)
  list('/proc/sys')
  list('/proc/sys')

  expect(reads).toEqual(['/proc/sys', '/proc/sys'])
})
