import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openPrivateFiles, PrivateFileError } from './private-files.js'

let top: string
let folder: string
beforeEach(async () => {
  top = await mkdtemp(join(tmpdir(), 'haft-private-'))
  folder = join(top, 'mcp')
})
afterEach(() => rm(top, { recursive: true }))

const modeOf = async (path: string) => (await stat(path)).mode & 0o777

test('only the owner can access the files and the folder, even if others could access them before', async () => {
  await mkdir(folder)
  await chmod(folder, 0o755)
  await writeFile(join(folder, 'tokens.json'), 'old', { mode: 0o644 })

  await openPrivateFiles(folder).change('tokens.json', () => 'new')

  expect(await modeOf(folder)).toBe(0o700)
  expect(await modeOf(join(folder, 'tokens.json'))).toBe(0o600)
  expect(await openPrivateFiles(folder).read('tokens.json')).toBe('new')
})

test('concurrent changes are all kept, and a change to undefined removes the file', async () => {
  const files = openPrivateFiles(folder)

  await Promise.all(Array.from({ length: 8 }, () => files.change('count', (text = '') => `${text}x`)))
  expect(await files.read('count')).toBe('xxxxxxxx')

  await files.change('count', () => undefined)
  expect(await files.read('count')).toBeUndefined()
  expect(await readdir(folder)).toEqual([])
})

test('an unreadable file is reported as an error and not as missing', async () => {
  await mkdir(join(folder, 'tokens.json'), { recursive: true })

  await expect(openPrivateFiles(folder).read('tokens.json')).rejects.toThrow(PrivateFileError)
})
