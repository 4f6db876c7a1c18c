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
import { contentHash } from '../../shared/content-hash.js'
import { formatIdentity } from '../../system/processes/process-identity.js'
import { createBlobStore } from './blob-store.js'
import { CheckpointLog, shortenLog } from './checkpoint-log.js'
import { type Checkpoints, createCheckpoints } from './create-checkpoints.js'
import { pruneCheckpoints, RETENTION } from './prune-checkpoints.js'
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

const pathTo = (name: string) => join(home, name)
const read = (name: string) => readFileSync(pathTo(name), 'utf8')
/** Returns a time at which all current content is older than the grace period. */
const afterGracePeriod = () => Date.now() + 2 * RETENTION.graceMs

let callCount = 0
async function write(name: string, content: string, by = checkpoints): Promise<string> {
  const toolUseId = `toolu_${++callCount}`
  await by.save(toolUseId, [pathTo(name)])
  writeFileSync(pathTo(name), content)
  await by.settle(toolUseId)
  return (await by.list()).at(-1)?.id ?? ''
}

const idsOf = async () => (await checkpoints.list()).map(({ id }) => id)

function storedContents(): readonly string[] {
  const blobs = join(folder, 'blobs')
  const names = existsSync(blobs) ? readdirSync(blobs) : []
  return names
    .flatMap((name) => readdirSync(join(blobs, name)).map((rest) => readFileSync(join(blobs, name, rest), 'utf8')))
    .sort()
}

/** Adds a checkpoint of this age to the log. */
function addCheckpoint(ageMs: number): void {
  const log = new CheckpointLog(join(folder, 'log.jsonl'))
  log.add({ type: 'saved', id: `old${++callCount}`, at: Date.now() - ageMs, session: 's', unknown: false, before: {} })
  log.close()
}

test('old checkpoints are removed with their content, and the others can still be undone', async () => {
  writeFileSync(pathTo('a'), '1')
  await write('a', '2')
  const firstAt = (await checkpoints.list()).at(-1)?.at ?? 0
  await expect.poll(() => Date.now()).toBeGreaterThan(firstAt)
  const keptId = await write('a', '3')
  const now = afterGracePeriod()
  const lastAt = (await checkpoints.list()).at(-1)?.at ?? 0

  await pruneCheckpoints(folder, { ...RETENTION, maxAgeMs: now - lastAt }, now)

  expect([await idsOf(), storedContents()]).toEqual([[keptId], ['2']])
  await checkpoints.restore(keptId)
  expect(read('a')).toBe('2')
})

test('above the size limit the oldest checkpoints are removed, but no content that a later one needs', async () => {
  const [big, other] = ['b'.repeat(60_000), 'o'.repeat(60_000)]
  writeFileSync(pathTo('a'), other)
  await write('a', big)
  await write('a', 'small')
  await write('a', big)
  const third = await write('a', 'end')
  const fourth = await write('a', 'very end')

  await pruneCheckpoints(folder, { ...RETENTION, maxBytes: 100_000 }, afterGracePeriod())

  expect((await idsOf()).slice(-2)).toEqual([third, fourth])
  expect(storedContents()).toEqual([big, 'end', 'small'])
  await checkpoints.restore(third)
  expect(read('a')).toBe(big)
})

test('pruning keeps new content, because its call may not be in the checkpoint log yet', async () => {
  const blobs = createBlobStore(join(folder, 'blobs'))
  await blobs.put(Buffer.from('about to be needed'))

  await pruneCheckpoints(folder)
  expect(storedContents()).toEqual(['about to be needed'])
  await pruneCheckpoints(folder, RETENTION, afterGracePeriod())
  expect(storedContents()).toEqual([])
  // Pruning also removes the folder of the content, but the store still assumes that the folder exists.
  const start = (text: string) => contentHash(Buffer.from(text)).slice(0, 2)
  const neighbour = Array.from({ length: 5000 }, (_, at) => String(at)).find(
    (text) => start(text) === start('about to be needed'),
  )
  await blobs.put(Buffer.from(neighbour ?? ''))
  expect(storedContents()).toEqual([neighbour])
})

test('pruning treats content that was stored again as new', async () => {
  await createBlobStore(join(folder, 'blobs')).put(Buffer.from('x'))
  const [start = ''] = readdirSync(join(folder, 'blobs'))
  const [rest = ''] = readdirSync(join(folder, 'blobs', start))
  utimesSync(join(folder, 'blobs', start, rest), 0, 0)

  await createBlobStore(join(folder, 'blobs')).put(Buffer.from('x'))
  await pruneCheckpoints(folder)

  expect(storedContents()).toEqual(['x'])
})

test('no line is lost if other processes append while the checkpoint log is shortened repeatedly', async () => {
  const writers = [checkpoints, createCheckpoints({ folder, session: 'other' })]
  let isDone = false
  const pruning = (async () => {
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
  await pruning
  await writers[1]?.close()

  const records = await checkpoints.list()
  expect(records).toHaveLength(120)
  expect(records.filter(({ after }) => after === undefined)).toEqual([])
  await checkpoints.restore(records[0]?.id ?? '')
  expect([existsSync(pathTo('file0')), existsSync(pathTo('file1'))]).toEqual([false, false])
})

test('only one process prunes at a time, and the lock of a killed process is ignored', async () => {
  addCheckpoint(2 * RETENTION.maxAgeMs)
  const lock = join(folder, 'pruning.lock')
  const claimOf = (owner: string) => {
    rmSync(lock, { recursive: true, force: true })
    mkdirSync(lock)
    writeFileSync(join(lock, `${owner}-0123456789ab`), '')
  }
  claimOf(formatIdentity())
  await pruneCheckpoints(folder)
  expect(await idsOf()).toHaveLength(1)

  // The same process ID with another start time means another process.
  claimOf(formatIdentity().replace(/\d+$/, '1'))
  await pruneCheckpoints(folder)
  expect([await idsOf(), existsSync(lock)]).toEqual([[], false])
})

test('closing the checkpoints prunes them once a day if a checkpoint was added', async () => {
  addCheckpoint(2 * RETENTION.maxAgeMs)
  await checkpoints.close()
  expect(await idsOf()).toHaveLength(1)

  await pruneWhenDue(folder, Date.now() - 8 * 24 * 60 * 60 * 1000)
  const id = await write('a', '1')
  await checkpoints.close()
  expect(await idsOf()).toEqual([id])

  await pruneWhenDue(folder, Date.now() + RETENTION.maxAgeMs + 1000)
  expect(await idsOf()).toEqual([])
})

test('all checkpoints of a project are removed if it has not been used for a long time', async () => {
  writeFileSync(pathTo('a'), '1')
  await write('a', '2')
  // One name sorts before and one after the stamp file, which records the last check.
  const forgotten = [join(root, 'forgotten-2'), join(root, 'todo-3')]
  for (const path of forgotten) {
    const other = createCheckpoints({ folder: path, session: 's' })
    await write('a', '3', other)
    await other.close()
  }
  await pruneForgottenProjects(root)
  const future = Date.now() + RETENTION.maxAgeMs + 1000
  utimesSync(join(folder, 'log.jsonl'), future / 1000, future / 1000)

  await pruneForgottenProjects(root, future)

  expect([forgotten.map((path) => existsSync(path)), await idsOf()]).toEqual([[false, false], [expect.any(String)]])
})

test('the newest checkpoint is kept, whatever its size', async () => {
  writeFileSync(pathTo('a'), 'x'.repeat(1000))
  await write('a', '1')
  writeFileSync(pathTo('a'), 'y'.repeat(1000))
  const newest = await write('a', '2')

  await pruneCheckpoints(folder, { ...RETENTION, maxBytes: 10 }, afterGracePeriod())

  expect(await idsOf()).toEqual([newest])
  await checkpoints.restore(newest)
  expect(read('a')).toBe('y'.repeat(1000))
})
