import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findProjectRoot } from './find-project-root.js'

let top: string
beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'haft-root-')))
})
afterEach(() => rm(top, { recursive: true }))

const getHome = () => join(top, 'home')
const find = (cwd: string) => findProjectRoot({ cwd: join(top, cwd), home: getHome() })

test('findProjectRoot returns the nearest folder with .haft, .git or .claude', async () => {
  await mkdir(join(top, 'repo/.git'), { recursive: true })
  await mkdir(join(top, 'repo/packages/a/src'), { recursive: true })
  await mkdir(join(top, 'repo/packages/b/.haft'), { recursive: true })

  expect(await find('repo/packages/a/src')).toBe(join(top, 'repo'))
  expect(await find('repo/packages/b')).toBe(join(top, 'repo/packages/b'))
  await mkdir(join(top, 'other/.claude'), { recursive: true })
  await mkdir(join(top, 'other/src'))
  expect(await find('other/src')).toBe(join(top, 'other'))
})

test('findProjectRoot recognises a worktree, where .git is a file', async () => {
  await mkdir(join(top, 'tree/src'), { recursive: true })
  await writeFile(join(top, 'tree/.git'), 'gitdir: elsewhere')

  expect(await find('tree/src')).toBe(join(top, 'tree'))
})

test('findProjectRoot returns the working folder itself if no ancestor has a marker', async () => {
  await mkdir(join(top, 'plain/deep'), { recursive: true })

  expect(await find('plain/deep')).toBe(join(top, 'plain/deep'))
})

test('findProjectRoot ignores the .haft, .git and .claude folders of the home folder', async () => {
  await mkdir(join(getHome(), '.haft'), { recursive: true })
  await mkdir(join(getHome(), '.git'))
  await mkdir(join(getHome(), '.claude'))
  await mkdir(join(top, '.git'))
  await mkdir(join(getHome(), 'notes'))

  expect(await find('home/notes')).toBe(join(getHome(), 'notes'))
  expect(await find('home')).toBe(getHome())
})

test('findProjectRoot resolves links before it looks for a marker', async () => {
  await mkdir(join(top, 'real/.git'), { recursive: true })
  await mkdir(join(top, 'other/.git'), { recursive: true })
  await mkdir(join(top, 'real/src'))
  await symlink(join(top, 'real/src'), join(top, 'other/link'))

  expect(await find('other/link')).toBe(join(top, 'real'))
})
