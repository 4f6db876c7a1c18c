import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { formatIdentity } from './processes/process-identity.js'
import {
  createTemporaryName,
  isAbandonedTemporary,
  writeFileAtomically,
  writeFileAtomicallySync,
  writeNewFile,
} from './write-file-atomically.js'

let folder = ''
let file = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'haft-atomic-'))
  file = join(folder, 'file')
})
afterEach(() => rmSync(folder, { recursive: true }))

const readMode = () => statSync(file).mode & 0o777

test('writeFileAtomically accepts text, bytes, pieces and streams', async () => {
  const largeContent = Buffer.alloc(300 * 1024, 'x')
  async function* stream() {
    yield 'a'
    yield Buffer.from('b')
  }
  for (const [content, expected] of [
    ['text', 'text'],
    [Buffer.from('bytes'), 'bytes'],
    [[Buffer.from('a'), Buffer.from('b')], 'ab'],
    [[largeContent, Buffer.from('end')], `${largeContent}end`],
    [stream(), 'ab'],
  ] as const) {
    await writeFileAtomically(file, content)
    expect(readFileSync(file, 'utf8')).toBe(expected)
  }
  writeFileAtomicallySync(file, Buffer.from('sync'), { mode: 0o600 })
  expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['sync', ['file']])
})

test('an existing file keeps its mode unless keepsMode is false', async () => {
  await writeFileAtomically(file, '1', { mode: 0o640 })
  expect(readMode()).toBe(0o640)
  chmodSync(file, 0o604)
  await writeFileAtomically(file, '2', { mode: 0o640 })
  expect(readMode()).toBe(0o604)
  await writeFileAtomically(file, '3', { mode: 0o600, keepsMode: false })
  expect(readMode()).toBe(0o600)
})

test('a failure before the rename leaves only the old file', async () => {
  writeFileSync(file, 'old')
  const cancelled = writeFileAtomically(file, 'new', {
    beforeRename: async () => {
      expect(readFileSync(file, 'utf8')).toBe('old')
      throw new Error('cancelled')
    },
  })
  await expect(cancelled).rejects.toThrow('cancelled')
  async function* failMidway() {
    yield 'new'
    throw new Error('broken')
  }
  await expect(writeFileAtomically(file, failMidway())).rejects.toThrow('broken')
  expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['old', ['file']])
})

test('writeNewFile does not follow a link and replaces nothing', async () => {
  const linkTarget = join(folder, 'elsewhere')
  symlinkSync(linkTarget, file)
  await expect(writeNewFile(file, 'x', { mode: 0o600 })).rejects.toThrow(/EEXIST/)
  expect(readdirSync(folder)).toEqual(['file'])
})

test('only temporary files of ended processes count as abandoned', () => {
  const ownName = createTemporaryName()
  expect(isAbandonedTemporary(ownName)).toBe(false)
  expect(isAbandonedTemporary('.haft-notes.tmp')).toBe(false)
  // The same process id, started at another time.
  const earlierIdentity = formatIdentity().replace(/\d+$/, '1')
  expect(isAbandonedTemporary(ownName.replace(formatIdentity(), earlierIdentity))).toBe(process.platform === 'linux')
})
