import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

test('a file beyond the limit is unreadable', () => {
  truncateSync(join(folder, 'file'), 1_001)

  expect(readRegularFile(join(folder, 'file'), { maxBytes: 1_000 })).toEqual({ kind: 'unreadable' })
  expect(readRegularFile(join(folder, 'file'), { maxBytes: 1_001 }).kind).toBe('found')
})
