import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { identifyPath } from './identify-path.js'

let folder: string
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-identify-')))
  await mkdir(join(folder, 'real'))
  await writeFile(join(folder, 'real/file'), '')
  await symlink(join(folder, 'real'), join(folder, 'link'))
})
afterEach(() => rm(folder, { recursive: true }))

test('a file has one name, by whatever links it is reached, and before it is there', () => {
  const names = ['real/file', 'link/file', 'link/new/deep', 'real/new/deep'].map((name) =>
    identifyPath(join(folder, name), 'linux').slice(folder.length),
  )

  expect(names).toEqual(['/real/file', '/real/file', '/real/new/deep', '/real/new/deep'])
})

test('a link that leads nowhere yet is named by where it leads, and a ring of links ends', async () => {
  await symlink(join(folder, 'real/later'), join(folder, 'dangling'))
  await symlink('ring', join(folder, 'ring'))

  expect(identifyPath(join(folder, 'dangling'), 'linux')).toBe(join(folder, 'real/later'))
  expect(identifyPath(join(folder, 'ring'), 'linux')).toBe(join(folder, 'ring'))
})

test('letter case means nothing where the system says so', () => {
  expect(identifyPath('/Nowhere/At/All', 'darwin')).toBe('/nowhere/at/all')
  expect(identifyPath('/Nowhere/At/All', 'linux')).toBe('/Nowhere/At/All')
})

test.each(['\\\\server\\share\\file', '//server/share/file'])('%s is not looked at', (path) => {
  // Were it looked at, the path would come back normalised.
  expect(identifyPath(`${path}/../x`, 'linux')).toBe(`${path}/../x`)
})
