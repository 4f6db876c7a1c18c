import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cleanUpResults } from './clean-up-results.js'

const DAY_MS = 24 * 60 * 60 * 1_000
const NOW = Date.UTC(2030, 0, 31)

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'haft-clean-'))
})
afterEach(() => rm(root, { recursive: true }))

async function createSession(name: string, ageDays: number, fileAgeDays = ageDays): Promise<void> {
  const folder = join(root, name)
  await mkdir(join(folder, 'deep'), { recursive: true })
  await writeFile(join(folder, 'deep', 'toolu_1.txt'), 'x')
  await setAge(join(folder, 'deep', 'toolu_1.txt'), fileAgeDays)
  await setAge(join(folder, 'deep'), ageDays)
  await setAge(folder, ageDays)
}

async function setAge(path: string, days: number): Promise<void> {
  await utimes(path, (NOW - days * DAY_MS) / 1_000, (NOW - days * DAY_MS) / 1_000)
}

test('clean-up removes result folders without recent writes, and keeps the others', async () => {
  await createSession('old', 31)
  await createSession('young', 29)
  await createSession('old-but-appended-to', 31, 1)
  await createSession('open', 31)

  const report = await cleanUpResults(root, { now: NOW, maxAgeMs: 30 * DAY_MS, keptFolders: new Set(['open']) })

  expect(report).toEqual({ removed: ['old'], problems: [] })
  expect((await readdir(root)).sort()).toEqual(['old-but-appended-to', 'open', 'young'])
})

test('clean-up keeps links and loose files, and does not follow links', async () => {
  await createSession('target', 31)
  await mkdir(join(root, 'results'))
  await symlink(join(root, 'target'), join(root, 'results', 'link'))
  await writeFile(join(root, 'results', 'loose.txt'), 'x')

  const report = await cleanUpResults(join(root, 'results'), { now: NOW + 365 * 100 * DAY_MS, maxAgeMs: DAY_MS })

  expect(report).toEqual({ removed: [], problems: [] })
  expect(await readdir(join(root, 'target'))).toEqual(['deep'])
})

test('clean-up removes a link inside an old folder without its target', async () => {
  await createSession('kept', 31)
  await createSession('old', 31)
  await symlink(join(root, 'kept'), join(root, 'old', 'link'))

  const report = await cleanUpResults(root, {
    now: NOW + 365 * 100 * DAY_MS,
    maxAgeMs: DAY_MS,
    keptFolders: new Set(['kept']),
  })

  expect(report.removed).toEqual(['old'])
  expect(await readdir(join(root, 'kept', 'deep'))).toEqual(['toolu_1.txt'])
})

test('clean-up of a missing results folder returns an empty report', async () => {
  expect(await cleanUpResults(join(root, 'none'), { now: NOW, maxAgeMs: DAY_MS })).toEqual({
    removed: [],
    problems: [],
  })
})

test('clean-up reports a results folder that cannot be read', async () => {
  await writeFile(join(root, 'file'), 'x')

  const report = await cleanUpResults(join(root, 'file'), { now: NOW, maxAgeMs: DAY_MS })

  expect(report).toEqual({ removed: [], problems: [expect.stringMatching(/could not be read: ENOTDIR/)] })
})
