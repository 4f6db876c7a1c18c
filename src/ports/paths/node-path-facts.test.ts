import { execFileSync } from 'node:child_process'
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

test('links at the start of a path are resolved even if many folders after them are missing or a link is broken', async () => {
  await symlink('real', join(folder, 'link'))
  await symlink('real/absent', join(folder, 'broken'))
  const missingPart = '/a'.repeat(100)

  expect(await look(`link${missingPart}`)).toEqual([`/real${missingPart}`, false])
  expect(await look(`link/file${missingPart}`)).toEqual([`/real/file${missingPart}`, false])
  expect(await look(`broken${missingPart}`)).toEqual([`/real/absent${missingPart}`, false])
  expect(await look(`new${missingPart}`)).toEqual([`/new${missingPart}`, false])
})

test('a path below a file does not exist, even through a link', async () => {
  await symlink('real/file', join(folder, 'name'))

  expect(await look('real/file/x')).toEqual(['/real/file/x', false])
  expect(await look('name/x/y')).toEqual(['/real/file/x/y', false])
})

describe('the ignore files that ripgrep should not read', () => {
  const listIgnoreFiles = async (name: string) => {
    const query = { prefix: '', suffix: '', areFolders: false, isDeep: true, excludesLinks: false, mustBePlain: false }
    const paths = await createNodePathFacts().links(join(folder, name), {
      ...query,
      mustBeOperands: false,
      areIgnoreFiles: true,
    })
    return paths?.map((path) => path.slice(folder.length))
  }
  beforeEach(() => mkdir(join(folder, 'project/src'), { recursive: true }))

  test('are links in the folder and below it', async () => {
    await writeFile(join(folder, 'project/.gitignore'), 'a[')
    await symlink('/key', join(folder, 'project/.ignore'))
    await symlink('/key', join(folder, 'project/src/.gitignore'))
    await symlink('/key', join(folder, 'project/src/other'))
    await symlink('/key', join(folder, 'project/src/.fdignore'))
    const paths = await listIgnoreFiles('project')
    expect(paths?.toSorted()).toEqual(['/project/.ignore', '/project/src/.fdignore', '/project/src/.gitignore'])
  })

  test.skipIf(process.platform === 'win32')('are pipes in the folder, below it and above it', async () => {
    const pipes = ['.ignore', 'project/.rgignore', 'project/src/.gitignore'].map((name) => join(folder, name))
    execFileSync('mkfifo', [...pipes, join(folder, 'project/src/other')])
    const paths = await listIgnoreFiles('project')
    expect(paths?.toSorted()).toEqual(['/.ignore', '/project/.rgignore', '/project/src/.gitignore'])
  })

  test.skipIf(process.platform === 'win32')(
    'are pipes that stand for the git folder of a linked working tree',
    async () => {
      await mkdir(join(folder, 'store'))
      await writeFile(join(folder, 'project/src/.git'), 'gitdir: ../../store\n')
      expect(await listIgnoreFiles('project')).toEqual([])
      execFileSync('mkfifo', [join(folder, 'store/commondir')])
      expect(await listIgnoreFiles('project')).toEqual(['/store/commondir'])
    },
  )

  test('are files with malformed patterns in the folders above', async () => {
    await writeFile(join(folder, '.ignore'), '*.py[cod]\n*.{a,b}\n# text\n')
    expect(await listIgnoreFiles('project/src')).toEqual([])
    await writeFile(join(folder, '.rgignore'), 'password[x\n')
    expect(await listIgnoreFiles('project/src')).toEqual(['/.rgignore'])
    expect(await listIgnoreFiles('project/src/missing.ts')).toEqual(['/.rgignore'])
  })

  test('include the file of a repository with malformed patterns, also for a linked working tree', async () => {
    await mkdir(join(folder, 'git/info'), { recursive: true })
    await writeFile(join(folder, 'git/info/exclude'), 'password[x\n')
    await writeFile(join(folder, 'project/.git'), 'gitdir: ../git/worktrees/x\n')
    await mkdir(join(folder, 'git/worktrees/x'), { recursive: true })
    await writeFile(join(folder, 'git/worktrees/x/commondir'), '../..\n')
    expect(await listIgnoreFiles('project')).toEqual(['/git/info/exclude'])
    expect(await listIgnoreFiles('project/src')).toEqual(['/git/info/exclude'])
  })
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

describe('a folder that cannot be examined does not count as empty:', () => {
  const query = {
    prefix: '',
    suffix: '',
    areFolders: false,
    excludesLinks: false,
    mustBePlain: false,
    mustBeOperands: false,
  }
  const { links, entries } = createNodePathFacts()
  const listAll = (path: string) =>
    Promise.all([
      links(path, { ...query, isDeep: true }),
      links(path, { ...query, isDeep: true, areIgnoreFiles: true }),
      entries(path, { prefix: '', suffix: '', isDeep: true }),
    ])

  test('a name in it is not UTF-8', async () => {
    await symlink('/key', Buffer.concat([Buffer.from(`${folder}/real/k`), Buffer.from([0xff])]))
    expect(await listAll(folder)).toEqual([undefined, undefined, undefined])
    expect(await links(join(folder, 'real'), { ...query, prefix: 'k', isDeep: false })).toBeUndefined()
  })

  test('its path is a loop of links', async () => {
    await symlink('loop', join(folder, 'loop'))
    expect(await listAll(join(folder, 'loop'))).toEqual([undefined, undefined, undefined])
  })

  test('but a missing folder and a file have no entries', async () => {
    expect(await listAll(join(folder, 'missing'))).toEqual([[], [], []])
    expect(await listAll(join(folder, 'real/file'))).toEqual([[], [], []])
  })
})
