import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readRegularFile, readRegularText } from './read-regular-file.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'haft-read-'))
  writeFileSync(join(folder, 'file'), 'text')
  symlinkSync('file', join(folder, 'link'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const read = (name: string, followsLinks = true) =>
  readRegularText(join(folder, name), { maxBytes: 1_000, followsLinks })

test('a regular file is read, through a link only if links are followed', () => {
  expect(read('file')).toEqual({ kind: 'found', content: 'text' })
  expect(read('link')).toEqual({ kind: 'found', content: 'text' })
  expect(read('link', false)).toEqual({ kind: 'unreadable' })
})

test('a missing file is absent', () => {
  expect([read('missing'), read('file/inside')]).toEqual([{ kind: 'absent' }, { kind: 'absent' }])
})

test.skipIf(process.platform === 'win32')(
  'pipes, devices and folders are unreadable, and nothing waits for a writer',
  () => {
    execFileSync('mkfifo', [join(folder, 'pipe')])
    symlinkSync('/dev/zero', join(folder, 'endless'))

    expect(['pipe', 'endless', '.'].map((name) => read(name).kind)).toEqual(['unreadable', 'unreadable', 'unreadable'])
  },
)

test.runIf(process.platform === 'linux')('a program that waits for a reader of a pipe keeps waiting', async () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const writer = spawn('sh', ['-c', 'echo ready; echo text > "$0"', pipe])
  await once(writer.stdout, 'data')
  const isWaiting = () => / S /.test(readFileSync(`/proc/${writer.pid}/stat`, 'utf8'))
  while (!isWaiting()) await setImmediate()

  const readResult = read('pipe')
  const stillWaits = isWaiting()
  writer.kill()

  expect([readResult, stillWaits]).toEqual([{ kind: 'unreadable' }, true])
})

test('a file beyond the limit is unreadable', () => {
  truncateSync(join(folder, 'file'), 1_001)

  expect(readRegularFile(join(folder, 'file'), { maxBytes: 1_000 })).toEqual({ kind: 'unreadable' })
  expect(readRegularFile(join(folder, 'file'), { maxBytes: 1_001 }).kind).toBe('found')
})

test('a file that is reached through a link is unreadable by its real path', () => {
  const realFolder = realpathSync(folder)
  symlinkSync(realFolder, join(realFolder, 'other'))
  const limits = { maxBytes: 1_000, isRealPath: true }

  expect(readRegularFile(join(realFolder, 'file'), limits).kind).toBe('found')
  expect(readRegularFile(join(realFolder, 'other/file'), limits).kind).toBe('unreadable')
})
