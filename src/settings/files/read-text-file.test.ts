import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testWithProgram } from '../../testing/test-with-program.js'
import { readTextFile } from './read-text-file.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'haft-read-'))
})
afterEach(() => rm(folder, { recursive: true }))

const read = (name: string) => readTextFile(join(folder, name))

test('readTextFile reads text unchanged', async () => {
  await writeFile(join(folder, 'a'), '\uFEFF{ "ä": 1 }\r\n')

  expect(await read('a')).toEqual({ kind: 'text', text: '\uFEFF{ "ä": 1 }\r\n' })
})

test('a missing file is reported as absent, even if its parent is a file instead of a folder', async () => {
  await writeFile(join(folder, 'file'), '')

  expect(await read('none')).toEqual({ kind: 'absent' })
  expect(await read('file/settings.json')).toEqual({ kind: 'absent' })
})

test('reading a dangling link fails and does not report it as absent', async () => {
  await symlink(join(folder, 'none'), join(folder, 'link'))

  expect(await read('link')).toEqual({ kind: 'failed', reason: 'is a dangling link' })
})

const MKFIFO = 'mkfifo'
testWithProgram(MKFIFO, 'coreutils')('reading a pipe without a writer fails instead of blocking', async () => {
  execFileSync(MKFIFO, [join(folder, 'pipe')])

  expect(await read('pipe')).toEqual({ kind: 'failed', reason: 'is not a regular file' })
})

test('reading fails for folders, huge files and files that are not UTF-8 text', async () => {
  await writeFile(join(folder, 'huge'), 'x'.repeat(1024 * 1024 + 1))
  await writeFile(join(folder, 'latin'), Buffer.from([0x7b, 0xe4, 0x7d]))

  expect((await read('.')).kind).toBe('failed')
  expect(await read('huge')).toEqual({ kind: 'failed', reason: 'is larger than 1048576 bytes' })
  expect(await read('latin')).toEqual({ kind: 'failed', reason: 'is not UTF-8 text' })
})

const FILE_WITH_SIZE_0 = '/proc/kallsyms'
test.runIf(existsSync(FILE_WITH_SIZE_0))('reading fails for a huge file that reports size 0', async () => {
  expect(await readTextFile(FILE_WITH_SIZE_0)).toEqual({ kind: 'failed', reason: 'is larger than 1048576 bytes' })
})

test('reading a link to itself fails', async () => {
  await symlink(join(folder, 'loop'), join(folder, 'loop'))

  expect(await read('loop')).toEqual({ kind: 'failed', reason: 'cannot be read (ELOOP)' })
})
