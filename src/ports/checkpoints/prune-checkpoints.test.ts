import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { computeContentHash } from '../../shared/content-hash.js'
import { formatIdentity } from '../../system/processes/process-identity.js'
import { createBlobStore } from './blob-store.js'
import { CheckpointLog, shortenLog } from './checkpoint-log.js'
import { type Checkpoints, createCheckpoints } from './create-checkpoints.js'
import { DEFAULT_RETENTION, pruneCheckpoints } from './prune-checkpoints.js'
import { pruneForgottenProjects, pruneWhenDue } from './prune-when-due.js'

let home: string
let root: string
let folder: string
let checkpoints: Checkpoints
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'haft-prune-')))
  root = join(home, 'checkpoints')
  folder = join(root, 'project-1')
  checkpoints = createCheckpoints({ folder, session: 's' })
})
afterEach(async () => {
  await checkpoints.close()
  rmSync(home, { recursive: true })
})

const toPath = (name: string) => join(home, name)
const read = (name: string) => readFileSync(toPath(name), 'utf8')
/** Returns a time at which all current content is older than the grace period. */
const getTimeAfterGracePeriod = () => Date.now() + 2 * DEFAULT_RETENTION.graceMs

let callCount = 0
async function write(name: string, content: string, by = checkpoints): Promise<string> {
  const toolUseId = `toolu_${++callCount}`
  await by.save(toolUseId, [toPath(name)])
  writeFileSync(toPath(name), content)
  await by.settle(toolUseId)
  return (await by.list()).at(-1)?.id ?? ''
}

const listIds = async () => (await checkpoints.list()).map(({ id }) => id)

function readStoredContents(): readonly string[] {
  const blobs = join(folder, 'blobs')
  const names = existsSync(blobs) ? readdirSync(blobs) : []
  return names
    .flatMap((name) =>
      readdirSync(join(blobs, name)).map((fileName) => readFileSync(join(blobs, name, fileName), 'utf8')),
    )
    .sort()
}

/** Adds a checkpoint of this age to the log. */
function addCheckpoint(ageMs: number): void {
  const log = new CheckpointLog(join(folder, 'log.jsonl'))
  log.add({ type: 'saved', id: `old${++callCount}`, at: Date.now() - ageMs, session: 's', unknown: false, before: {} })
  log.close()
}

test('old checkpoints are removed with their content, and the others can still be undone', async () => {
  writeFileSync(toPath('a'), '1')
  await write('a', '2')
  const firstCheckpointAt = (await checkpoints.list()).at(-1)?.at ?? 0
  await expect.poll(() => Date.now()).toBeGreaterThan(firstCheckpointAt)
  const keptId = await write('a', '3')
  const now = getTimeAfterGracePeriod()
  const lastTime = (await checkpoints.list()).at(-1)?.at ?? 0

  await pruneCheckpoints(folder, { ...DEFAULT_RETENTION, maxAgeMs: now - lastTime }, now)

  expect([await listIds(), readStoredContents()]).toEqual([[keptId], ['2']])
  await checkpoints.restore(keptId)
  expect(read('a')).toBe('2')
})

test('above the size limit the oldest checkpoints are removed, but no content that a later one needs', async () => {
  const [big, other] = ['b'.repeat(60_000), 'o'.repeat(60_000)]
  writeFileSync(toPath('a'), other)
  await write('a', big)
  await write('a', 'small')
  await write('a', big)
  const third = await write('a', 'end')
  const fourthCheckpoint = await write('a', 'very end')

  await pruneCheckpoints(folder, { ...DEFAULT_RETENTION, maxBytes: 100_000 }, getTimeAfterGracePeriod())

  expect((await listIds()).slice(-2)).toEqual([third, fourthCheckpoint])
  expect(readStoredContents()).toEqual([big, 'end', 'small'])
  await checkpoints.restore(third)
  expect(read('a')).toBe(big)
})

test('pruning keeps new content, because its call may not be in the checkpoint log yet', async () => {
  const blobs = createBlobStore(join(folder, 'blobs'))
  await blobs.put(Buffer.from('about to be needed'))

  await pruneCheckpoints(folder)
  expect(readStoredContents()).toEqual(['about to be needed'])
  await pruneCheckpoints(folder, DEFAULT_RETENTION, getTimeAfterGracePeriod())
  expect(readStoredContents()).toEqual([])
  // Pruning also removes the folder of the content, but the store still assumes that the folder exists.
  const start = (text: string) => computeContentHash(Buffer.from(text)).slice(0, 2)
  const contentInSameFolder = Array.from({ length: 5000 }, (_, at) => String(at)).find(
    (text) => start(text) === start('about to be needed'),
  )
  await blobs.put(Buffer.from(contentInSameFolder ?? ''))
  expect(readStoredContents()).toEqual([contentInSameFolder])
})

test('pruning treats content that was stored again as new', async () => {
  await createBlobStore(join(folder, 'blobs')).put(Buffer.from('x'))
  const [start = ''] = readdirSync(join(folder, 'blobs'))
  const [fileName = ''] = readdirSync(join(folder, 'blobs', start))
  utimesSync(join(folder, 'blobs', start, fileName), 0, 0)

  await createBlobStore(join(folder, 'blobs')).put(Buffer.from('x'))
  await pruneCheckpoints(folder)

  expect(readStoredContents()).toEqual(['x'])
})

test('no line is lost if other processes append while the checkpoint log is shortened repeatedly', async () => {
  const writers = [checkpoints, createCheckpoints({ folder, session: 'other' })]
  let isDone = false
  const prunePromise = (async () => {
    while (!isDone) {
      addCheckpoint(0)
      await shortenLog(join(folder, 'log.jsonl'), (id) => !id.startsWith('old'))
    }
  })()
  await Promise.all(
    writers.map(async (writer, index) => {
      for (let turn = 0; turn < 60; turn++) await write(`file${index}`, String(turn), writer)
    }),
  )
  isDone = true
  await prunePromise
  await writers[1]?.close()

  const records = await checkpoints.list()
  expect(records).toHaveLength(120)
  expect(records.filter(({ after }) => after === undefined)).toEqual([])
  await checkpoints.restore(records[0]?.id ?? '')
  expect([existsSync(toPath('file0')), existsSync(toPath('file1'))]).toEqual([false, false])
})

test('only one process prunes at a time, and the lock of a killed process is ignored', async () => {
  addCheckpoint(2 * DEFAULT_RETENTION.maxAgeMs)
  const lock = join(folder, 'pruning.lock')
  const placeClaim = (owner: string) => {
    rmSync(lock, { recursive: true, force: true })
    mkdirSync(lock)
    writeFileSync(join(lock, `${owner}-0123456789ab`), '')
  }
  placeClaim(formatIdentity())
  await pruneCheckpoints(folder)
  expect(await listIds()).toHaveLength(1)

  // The same process ID with another start time means another process.
  placeClaim(formatIdentity().replace(/\d+$/, '1'))
  await pruneCheckpoints(folder)
  expect([await listIds(), existsSync(lock)]).toEqual([[], false])
})

test('closing the checkpoints prunes them once a day if a checkpoint was added', async () => {
  addCheckpoint(2 * DEFAULT_RETENTION.maxAgeMs)
  await checkpoints.close()
  expect(await listIds()).toHaveLength(1)

  await pruneWhenDue(folder, Date.now() - 8 * 24 * 60 * 60 * 1000)
  const id = await write('a', '1')
  await checkpoints.close()
  expect(await listIds()).toEqual([id])

  await pruneWhenDue(folder, Date.now() + DEFAULT_RETENTION.maxAgeMs + 1000)
  expect(await listIds()).toEqual([])
})

test('all checkpoints of a project are removed if it has not been used for a long time', async () => {
  writeFileSync(toPath('a'), '1')
  await write('a', '2')
  // One name sorts before and one after the stamp file, which records the last check.
  const forgottenFolders = [join(root, 'forgotten-2'), join(root, 'todo-3')]
  for (const path of forgottenFolders) {
    const otherCheckpoints = createCheckpoints({ folder: path, session: 's' })
    await write('a', '3', otherCheckpoints)
    await otherCheckpoints.close()
  }
  await pruneForgottenProjects(root)
  const futureMs = Date.now() + DEFAULT_RETENTION.maxAgeMs + 1000
  utimesSync(join(folder, 'log.jsonl'), futureMs / 1000, futureMs / 1000)

  await pruneForgottenProjects(root, futureMs)

  expect([forgottenFolders.map((path) => existsSync(path)), await listIds()]).toEqual([
    [false, false],
    [expect.any(String)],
  ])
})

test('the newest checkpoint is kept, whatever its size', async () => {
  writeFileSync(toPath('a'), 'x'.repeat(1000))
  await write('a', '1')
  writeFileSync(toPath('a'), 'y'.repeat(1000))
  const newestId = await write('a', '2')

  await pruneCheckpoints(folder, { ...DEFAULT_RETENTION, maxBytes: 10 }, getTimeAfterGracePeriod())

  expect(await listIds()).toEqual([newestId])
  await checkpoints.restore(newestId)
  expect(read('a')).toBe('y'.repeat(1000))
})
