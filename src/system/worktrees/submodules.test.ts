import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { countLost, git, hashContents, WorktreeFixture, write } from './fixture-worktrees.js'
import { removeWorktree } from './remove-worktree.js'
import { findAdminFolder } from './worktree-repository.js'

const fixture = new WorktreeFixture()
afterAll(() => fixture.remove())

/** Changes a worktree. `lib` is the folder of its submodule, with a repository in it. */
type Change = (lib: string, path: string) => void

async function removeAfter(change: Change, setsAside = false) {
  const { project, worktree } = await fixture.open('with-module')
  const lib = join(worktree.path, 'lib')
  git(worktree.path, 'submodule', '--quiet', 'update', '--init')
  change(lib, worktree.path)
  const before = hashContents(project, { reflogs: true })
  const result = await removeWorktree(worktree, { setsAside })
  expect(countLost(before, project, { reflogs: result.kind === 'kept' })).toBe(0)
  expect(findAdminFolder(worktree) === undefined).toBe(result.kind === 'removed')
  return { result, project, worktree }
}

function commit(folder: string, content: string): void {
  write(join(folder, 'new.txt'), content)
  git(folder, 'add', '-A')
  git(folder, 'commit', '-qm', content)
}

test('a worktree with a submodule that has no work of its own is removed', async () => {
  const { result, project, worktree } = await removeAfter(() => undefined)

  expect(result).toEqual({ kind: 'removed', refs: [] })
  expect(existsSync(worktree.path)).toBe(false)
  expect(git(project, 'worktree', 'list').trim().split('\n')).toHaveLength(1)
})

test('a worktree with a submodule that was not checked out is removed', async () => {
  const { worktree } = await fixture.open('with-module')

  expect(await removeWorktree(worktree)).toEqual({ kind: 'removed', refs: [] })
})

const KEPT_CASES: Readonly<Record<string, readonly [change: Change, reason: RegExp]>> = {
  'a changed file in a submodule': [
    (lib) => write(join(lib, 'lib.txt'), 'changed\n'),
    /changed files in the submodule lib: lib\.txt/,
  ],
  'an untracked file in a submodule': [
    (lib) => write(join(lib, 'new.txt'), 'untracked\n'),
    /untracked or ignored files in the submodule lib: new\.txt/,
  ],
  'an ignored file in a submodule': [(lib) => write(join(lib, 'x.ignored'), 'ignored\n'), /x\.ignored/],
  'a change to a submodule that git was told to ignore': [
    (lib, path) => {
      git(path, 'config', 'submodule.lib.ignore', 'all')
      write(join(lib, 'lib.txt'), 'hidden\n')
    },
    /lib\.txt/,
  ],
  'a commit in a submodule': [(lib) => commit(lib, 'unpushed'), /commits or stashes in the submodule lib/],
  'a commit in a submodule that the project has recorded': [
    (lib, path) => {
      commit(lib, 'unpushed but recorded')
      git(path, 'commit', '-qam', 'record')
    },
    /commits or stashes in the submodule lib/,
  ],
  'a commit on another branch of a submodule': [
    (lib) => {
      git(lib, 'checkout', '-q', '-b', 'side')
      commit(lib, 'side work')
      git(lib, 'checkout', '-q', '--detach', 'origin/main')
    },
    /commits or stashes in the submodule lib/,
  ],
  'a commit in a submodule that was reset': [
    (lib) => {
      commit(lib, 'reset work')
      git(lib, 'reset', '-q', '--hard', 'HEAD~1')
    },
    /commits or stashes in the submodule lib/,
  ],
  'a stash in a submodule': [
    (lib) => {
      write(join(lib, 'lib.txt'), 'stashed\n')
      git(lib, 'stash', '-q')
    },
    /commits or stashes in the submodule lib/,
  ],
  'a commit in a submodule that was deinitialised': [
    (lib, path) => {
      commit(lib, 'hidden work')
      git(path, 'submodule', '--quiet', 'deinit', '--force', 'lib')
    },
    /commits or stashes in the submodule lib/,
  ],
  'files in the folder of a submodule that is not checked out': [
    (lib, path) => {
      git(path, 'submodule', '--quiet', 'deinit', '--force', 'lib')
      write(join(lib, 'mine.txt'), 'mine\n')
    },
    /lib\//,
  ],
  'a repository in the place of a submodule': [
    (lib) => {
      rmSync(lib, { recursive: true })
      write(join(lib, 'own.txt'), 'own\n')
      git(lib, 'init', '-q', '-b', 'main', '.')
      commit(lib, 'own repository')
    },
    /the repository of the submodule lib/,
  ],
  'a commit in a submodule whose folder was deleted with the worktree': [
    (lib, path) => {
      commit(lib, 'deleted work')
      rmSync(path, { recursive: true })
    },
    /commits or stashes in the submodule lib/,
  ],
}

for (const [name, [change, reason]] of Object.entries(KEPT_CASES)) {
  test(`a worktree with ${name} is kept`, async () => {
    const { result } = await removeAfter(change)

    expect(result).toMatchObject({ kind: 'kept', obstacles: [] })
    expect(result.kind === 'kept' && result.unsavedWork.join('\n')).toMatch(reason)
  })
}

test('a submodule at another commit of its remote keeps the worktree', async () => {
  const { result } = await removeAfter((lib, path) => {
    commit(join(fixture.folder, 'library'), 'newer')
    git(lib, 'fetch', '-q')
    git(lib, 'checkout', '-q', 'origin/main')
    expect(git(path, 'status', '--porcelain')).toContain('lib')
  })

  expect(result).toMatchObject({ kind: 'kept', unsavedWork: ['another commit in the submodule lib'] })
})

test('commits of a submodule are in the folder that a removed worktree is moved to', async () => {
  const { result } = await removeAfter((lib) => {
    commit(lib, 'first')
    write(join(lib, 'untracked.txt'), 'second\n')
  }, true)

  const { savedFolder = '' } = result.kind === 'removed' ? result : {}
  expect(readdirSync(savedFolder).sort()).toEqual(['files', 'git'])
  const log = git(savedFolder, '--git-dir', join(savedFolder, 'git/modules/lib'), 'log', '--format=%s', '-1', 'HEAD')
  expect(log.trim()).toBe('first')
})

test('no monitor of a submodule runs', async () => {
  const mark = join(fixture.folder, 'ran')
  const { worktree } = await fixture.open('with-module')
  git(worktree.path, 'submodule', '--quiet', 'update', '--init')
  git(join(worktree.path, 'lib'), 'config', 'core.fsmonitor', `touch ${mark}; false`)

  expect(await removeWorktree(worktree)).toEqual({ kind: 'removed', refs: [] })
  expect(existsSync(mark)).toBe(false)
})

test('a merge in a submodule keeps the worktree, even if its work could be moved', async () => {
  const { result } = await removeAfter((lib, path) => {
    commit(lib, 'one')
    git(lib, 'checkout', '-q', '-b', 'side', 'HEAD~1')
    write(join(lib, 'side.txt'), 'side\n')
    git(lib, 'add', '-A')
    git(lib, 'commit', '-qm', 'side')
    git(lib, 'merge', '-q', '--no-commit', '--no-ff', '-s', 'ours', 'HEAD@{2}')
    expect(existsSync(path)).toBe(true)
  }, true)

  expect(result.kind === 'kept' && result.obstacles.join()).toContain('a merge is in progress')
})
