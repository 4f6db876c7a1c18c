import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CaseProbe } from './case-probe.js'
import { createNodePathFacts } from './node-path-facts.js'

let folder: string
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'haft-facts-')))
  await mkdir(join(folder, 'real'))
  await writeFile(join(folder, 'real/file'), '')
})
afterEach(() => rm(folder, { recursive: true }))

async function look(name: string) {
  const { realPath, isFolder } = await createNodePathFacts(new CaseProbe('linux')).look(join(folder, name))
  return [realPath.slice(folder.length), isFolder]
}

test('looking up a link returns its target, even if the target is missing', async () => {
  await symlink('real', join(folder, 'link'))
  await symlink('../real/absent', join(folder, 'real/dangling'))
  await symlink('/no/such/folder', join(folder, 'outside'))

  expect(await look('link/file')).toEqual(['/real/file', false])
  expect(await look('link')).toEqual(['/real', true])
  expect(await look('link/new/deep')).toEqual(['/real/new/deep', false])
  expect(await look('link/dangling')).toEqual(['/real/absent', false])
  expect((await createNodePathFacts().look(join(folder, 'outside/x'))).realPath).toBe('/no/such/folder/x')
})

test('a path below a file does not exist, even through a link', async () => {
  await symlink('real/file', join(folder, 'name'))

  expect(await look('real/file/x')).toEqual(['/real/file/x', false])
  expect(await look('name/x/y')).toEqual(['/real/file/x/y', false])
})

test('looking up circular links causes an error', async () => {
  await symlink('b', join(folder, 'a'))
  await symlink('a', join(folder, 'b'))

  await expect(look('a')).rejects.toThrow('ELOOP')
})

describe('a broken link', () => {
  beforeEach(async () => {
    await mkdir(join(folder, 'project'))
    await mkdir(join(folder, 'home/config/functions'), { recursive: true })
    await symlink('../home/config/functions', join(folder, 'project/deep'))
  })

  const targets: readonly [string, () => string][] = [
    ['out of a link', () => 'deep/../fish'],
    ['out of a link, by an absolute target', () => `${join(folder, 'project/deep')}/../fish`],
    ['out of a link, with redundant path segments', () => './/deep/./../functions/../fish'],
    ['through another broken link', () => 'again'],
    ['out of a link to a link', () => 'deeper/../fish'],
  ]

  test.each(targets)('%s resolves to the file that a write creates', async (_, target) => {
    await symlink('deep/../fish', join(folder, 'project/again'))
    await symlink(join(folder, 'project/deep'), join(folder, 'project/deeper'))
    await symlink(target(), join(folder, 'project/notes'))

    const facts = await look('project/notes')

    expect(facts).toEqual(['/home/config/fish', false])
    await writeFile(join(folder, 'project/notes'), '')
    expect(await readdir(join(folder, 'home/config'))).toContain('fish')
  })

  test('is also resolved for paths below it', async () => {
    await symlink('deep/../absent', join(folder, 'project/notes'))

    expect(await look('project/notes/a/b')).toEqual(['/home/config/absent/a/b', false])
  })

  test('causes an error if it leads to itself or exceeds the link limit of the system', async () => {
    await symlink('absent/../ring', join(folder, 'project/ring'))
    await symlink('absent', join(folder, 'project/l0'))
    // Each link contains the previous one twice, so a naive resolver would take exponential time.
    for (let i = 1; i <= 45; i++) await symlink(`l${i - 1}/../l${i - 1}/../x`, join(folder, `project/l${i}`))

    await expect(look('project/ring')).rejects.toThrow('ELOOP')
    await expect(look('project/l45')).rejects.toThrow('ELOOP')
  })
})

test('letter case is assumed not to matter on macOS and Windows', async () => {
  const answers = await Promise.all(
    ['linux', 'darwin', 'win32'].map((platform) => createNodePathFacts(new CaseProbe(platform)).look('/')),
  )

  expect(answers.map(({ isCaseInsensitive }) => isCaseInsensitive)).toEqual([false, true, true])
})

test('a link whose name or target is not valid UTF-8 is followed and shown with escapes', async () => {
  await writeFile(Buffer.concat([Buffer.from(`${folder}/real/`), Buffer.from([0xff])]), '')
  await symlink(
    Buffer.concat([Buffer.from('real/'), Buffer.from([0xff])]),
    Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xfe])]),
  )

  expect(await look('\\xfe')).toEqual(['/real/\\xff', false])
})
