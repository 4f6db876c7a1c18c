import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { formatIdentity } from '../processes/process-identity.js'
import { createWorktree, findNameProblem, findWorktree } from './create-worktree.js'
import { git, WorktreeFixture, write } from './fixture-worktrees.js'
import { removeWorktree } from './remove-worktree.js'

const fixture = new WorktreeFixture()
afterAll(() => fixture.remove())
const { signal } = new AbortController()

/** Repositories of all kinds, each with the folder in which Haft is started. */
const PROJECTS: Readonly<Record<string, () => string>> = {
  'a path with spaces and letters of other scripts': () => fixture.copy('template', 'größe 文件 (1)'),
  'a folder below the root of the repository': () => join(fixture.copy(), 'src'),
  'a folder behind a symbolic link': () => {
    const link = join(fixture.folder, 'linked')
    symlinkSync(fixture.copy(), link)
    return link
  },
  'another worktree': () => {
    const project = fixture.copy()
    git(project, 'worktree', 'add', '-q', join(fixture.folder, 'other-tree'))
    return join(fixture.folder, 'other-tree')
  },
  'a worktree of a bare repository': () => {
    const bare = join(fixture.folder, 'bare.git')
    git(fixture.folder, 'clone', '-q', '--bare', join(fixture.folder, 'template'), bare)
    git(bare, 'worktree', 'add', '-q', join(fixture.folder, 'of-bare'), 'main')
    return join(fixture.folder, 'of-bare')
  },
  'a submodule': () => join(fixture.copy('with-module'), 'lib'),
  'a repository in another one': () => {
    const inner = join(fixture.copy(), 'inner')
    cpSync(join(fixture.folder, 'template'), inner, { recursive: true })
    return inner
  },
  'a detached HEAD': () => {
    const project = fixture.copy()
    git(project, 'checkout', '-q', '--detach')
    git(project, 'commit', '-q', '--allow-empty', '-m', 'detached')
    return project
  },
  'a sparse checkout': () => {
    const project = fixture.copy()
    git(project, 'sparse-checkout', 'set', '--no-cone', '/a.txt')
    return project
  },
}

for (const [name, makeProject] of Object.entries(PROJECTS)) {
  test(`a worktree of ${name} is created, used and removed`, async () => {
    const cwd = makeProject()
    const statusBefore = git(cwd, 'status', '--porcelain')

    const worktree = await createWorktree(cwd, 'work', { signal })
    const file = join(worktree.path, 'new.txt')
    write(file, 'new\n')
    const resultWithFile = await removeWorktree(worktree)

    expect(git(worktree.path, 'branch', '--show-current').trim()).toBe('haft/work')
    expect(git(worktree.path, 'rev-parse', 'HEAD')).toBe(git(cwd, 'rev-parse', 'HEAD'))
    expect(resultWithFile).toMatchObject({ kind: 'kept', unsavedWork: ['untracked or ignored files: new.txt'] })
    expect(git(cwd, 'status', '--porcelain')).toBe(statusBefore)
    rmSync(file)
    expect(await removeWorktree(worktree)).toEqual({ kind: 'removed', refs: [] })
    expect(git(cwd, 'branch', '--list', 'haft/*')).toBe('')
  })
}

const REFUSED: Readonly<Record<string, readonly [makeProject: () => string, reason: string]>> = {
  'without a repository': [
    () => {
      mkdirSync(join(fixture.folder, 'plain'))
      return join(fixture.folder, 'plain')
    },
    'this folder is not in a git repository',
  ],
  'in a bare repository': [
    () => {
      git(fixture.folder, 'init', '-q', '--bare', 'empty.git')
      return join(fixture.folder, 'empty.git')
    },
    'this repository is bare',
  ],
  'in a repository without commits': [
    () => {
      git(fixture.folder, 'init', '-q', 'unborn')
      return join(fixture.folder, 'unborn')
    },
    'the repository has no commit yet',
  ],
  'if its branch exists': [
    () => {
      const project = fixture.copy()
      git(project, 'branch', 'haft/work')
      return project
    },
    'the branch haft/work exists already. Choose another name',
  ],
  'if its folder exists': [
    () => {
      const project = fixture.copy()
      write(join(project, '.haft/worktrees/work/mine.txt'), 'mine\n')
      return project
    },
    'is not a worktree of this repository. Choose another name',
  ],
}

for (const [name, [makeProject, reason]] of Object.entries(REFUSED)) {
  test(`no worktree is created ${name}`, async () => {
    await expect(createWorktree(makeProject(), 'work', { signal, mayExist: true })).rejects.toThrow(reason)
  })
}

test('a name that is not safe in paths and branches is refused', () => {
  const badNames = ['', '.', '..', '../x', 'a/b', '-x', '.x', 'x.', 'a..b', 'x.lock', 'a b', 'ä', 'a\n', 'x'.repeat(65)]

  expect(badNames.filter((name) => findNameProblem(name) === undefined)).toEqual([])
  expect(['a', 'fix-1', 'v1.2_x', 'x'.repeat(64)].map(findNameProblem)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

test('an existing worktree is entered again with its changes', async () => {
  const { project, worktree } = await fixture.open()
  write(join(worktree.path, 'a.txt'), 'changed\n')

  const again = await createWorktree(project, 'work', { signal, mayExist: true })

  expect(again).toMatchObject({ path: worktree.path, isNew: false })
  expect(readFileSync(join(worktree.path, 'a.txt'), 'utf8')).toBe('changed\n')
  expect(await findWorktree(project, 'work')).toMatchObject({ path: worktree.path })
})

test('a worktree whose folder was deleted is reported, and its state is not touched', async () => {
  const { project, worktree } = await fixture.open()
  rmSync(worktree.path, { recursive: true })

  await expect(createWorktree(project, 'work', { signal, mayExist: true })).rejects.toThrow('was deleted')
  await expect(findWorktree(project, 'work')).rejects.toThrow('no longer exists')
  expect(git(project, 'worktree', 'list')).toContain(worktree.path)
})

test('files that were edited in a worktree whose creation was interrupted are kept', async () => {
  const { project, worktree } = await fixture.open()
  write(join(worktree.path, 'a.txt'), 'edited\n')
  const record = { kind: 'creating', commit: worktree.repository.commit, process: formatIdentity() }
  write(join(project, '.git/haft-worktrees/work.json'), JSON.stringify(record))

  await expect(createWorktree(project, 'work', { signal, mayExist: true })).rejects.toThrow('not from git: a.txt')
  expect(readFileSync(join(worktree.path, 'a.txt'), 'utf8')).toBe('edited\n')
})

test('a cancelled creation leaves nothing behind', async () => {
  const project = fixture.copy()
  const controller = new AbortController()
  controller.abort(new Error('cancelled'))

  await expect(createWorktree(project, 'work', { signal: controller.signal })).rejects.toThrow('cancelled')
  expect(existsSync(join(project, '.haft/worktrees/work'))).toBe(false)
  expect(git(project, 'branch', '--list', 'haft/*')).toBe('')
})
