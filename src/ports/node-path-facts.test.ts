import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nodePathFacts } from './node-path-facts.js'

let folder: string
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-facts-')))
  await mkdir(join(folder, 'real'))
  await writeFile(join(folder, 'real/file'), '')
})
afterEach(() => rm(folder, { recursive: true }))

async function look(name: string) {
  const { realPath, isFolder } = await nodePathFacts('linux').look(join(folder, name))
  return [realPath.slice(folder.length), isFolder]
}

test('links are followed, those that lead nowhere to where they would', async () => {
  await symlink('real', join(folder, 'link'))
  await symlink('../real/absent', join(folder, 'real/dangling'))
  await symlink('/nowhere/at/all', join(folder, 'outside'))

  expect(await look('link/file')).toEqual(['/real/file', false])
  expect(await look('link')).toEqual(['/real', true])
  expect(await look('link/new/deep')).toEqual(['/real/new/deep', false])
  expect(await look('link/dangling')).toEqual(['/real/absent', false])
  expect((await nodePathFacts().look(join(folder, 'outside/x'))).realPath).toBe('/nowhere/at/all/x')
})

test('a ring of links, and a path below a file, have no answer', async () => {
  await symlink('b', join(folder, 'a'))
  await symlink('a', join(folder, 'b'))

  await expect(look('a')).rejects.toThrow('ELOOP')
  await expect(look('real/file/x')).rejects.toThrow('ENOTDIR')
})

test('letter case counts as the platform has it', async () => {
  const answers = await Promise.all(['linux', 'darwin', 'win32'].map((platform) => nodePathFacts(platform).look('/')))

  expect(answers.map(({ isCaseInsensitive }) => isCaseInsensitive)).toEqual([false, true, true])
})
