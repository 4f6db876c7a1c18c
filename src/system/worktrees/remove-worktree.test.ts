import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { countLost, git, hashContents, tryGit, WorktreeFixture, write } from './fixture-worktrees.js'
import { type RemovalResult, removeWorktree } from './remove-worktree.js'
import { findAdminFolder, type Worktree } from './worktree-repository.js'

const fixture = new WorktreeFixture()
afterAll(() => fixture.remove())

/** Changes a worktree. `path` is its folder. */
type Change = (path: string, project: string, worktree: Worktree) => void

async function removeAfter(change: Change, setsAside = false) {
  const { project, worktree } = await fixture.open()
  change(worktree.path, project, worktree)
  const before = hashContents(project, { reflogs: true })
  const result = await removeWorktree(worktree, { setsAside })
  expect(countLost(before, project, { reflogs: result.kind === 'kept' })).toBe(0)
  const isRegistered = findAdminFolder(worktree) !== undefined
  expect({ isFolder: existsSync(worktree.path), isRegistered }).toEqual(
    result.kind === 'kept'
      ? { isFolder: existsSync(worktree.path), isRegistered: true }
      : { isFolder: false, isRegistered: false },
  )
  return { result, project, worktree }
}

/** The branches of the project, `main` excepted. */
function listBranches(project: string): readonly string[] {
  return git(project, 'branch', '--format=%(refname:short)')
    .split('\n')
    .filter((name) => name !== '' && name !== 'main')
}

const REMOVED: RemovalResult = { kind: 'removed', refs: [] }

const commit = (path: string, content: string, name = 'new.txt') => {
  write(join(path, name), content)
  git(path, 'add', '-A')
  git(path, 'commit', '-qm', content)
}

const REMOVED_CASES: Readonly<Record<string, Change>> = {
  'without changes': () => undefined,
  'with empty folders': (path) => mkdirSync(join(path, 'empty', 'inner'), { recursive: true }),
  'with a file that was changed and restored': (path) => {
    write(join(path, 'a.txt'), 'other\n')
    write(join(path, 'a.txt'), 'one\n')
  },
  'with commits that are also on main': (path, project) => {
    commit(path, 'merged')
    git(project, 'merge', '-q', '--ff-only', 'haft/work')
  },
  'with a stash, which all worktrees share': (path) => {
    write(join(path, 'a.txt'), 'stashed\n')
    git(path, 'stash', '-q')
  },
  'with a tracked link to another folder': (path, project) => {
    write(join(project, '..', 'outside', 'kept.txt'), 'outside\n')
    symlinkSync(join(project, '..', 'outside'), join(path, 'link'))
    git(path, 'add', '-A')
    git(path, 'commit', '-qm', 'link')
    git(project, 'merge', '-q', '--ff-only', 'haft/work')
  },
  'with a sparse checkout': (path) => {
    git(path, 'sparse-checkout', 'set', '--no-cone', '/a.txt')
    expect(existsSync(join(path, 'src/b.txt'))).toBe(false)
  },
  'whose folder was deleted': (path) => rmSync(path, { recursive: true }),
}

for (const [name, change] of Object.entries(REMOVED_CASES)) {
  test(`a worktree ${name} is removed with its branch`, async () => {
    const { result, project } = await removeAfter(change)

    expect(result).toEqual(REMOVED)
    expect(listBranches(project)).toEqual([])
    expect(git(project, 'status', '--porcelain')).toBe('')
  })
}

const KEPT_CASES: Readonly<Record<string, readonly [change: Change, reason: RegExp]>> = {
  'a changed file': [(path) => write(join(path, 'a.txt'), 'changed\n'), /changed files: a\.txt/],
  'a staged file': [
    (path) => {
      write(join(path, 'staged.txt'), 'staged\n')
      git(path, 'add', 'staged.txt')
    },
    /staged\.txt/,
  ],
  'a file that was staged and changed again': [
    (path) => {
      write(join(path, 'a.txt'), 'staged version\n')
      git(path, 'add', 'a.txt')
      write(join(path, 'a.txt'), 'later version\n')
    },
    /a\.txt/,
  ],
  'an untracked file': [(path) => write(join(path, 'src', 'new.txt'), 'new\n'), /untracked .*: src\/new\.txt/],
  'a file with spaces, a line break and letters of other scripts in its name': [
    (path) => write(join(path, 'ein Ordner', 'größe\n文件.txt'), 'name\n'),
    /ein Ordner\//,
  ],
  'a file whose name is not valid UTF-8': [
    (path) => writeFileSync(Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0x66, 0xff])]), 'bytes\n'),
    /f\\xff/,
  ],
  'an ignored file': [(path) => write(join(path, 'x.ignored'), 'ignored\n'), /x\.ignored/],
  'an ignored folder': [(path) => write(join(path, 'built', 'out', 'x'), 'built\n'), /built\//],
  'a change that git was told to assume away': [
    (path) => {
      git(path, 'update-index', '--assume-unchanged', 'a.txt')
      write(join(path, 'a.txt'), 'hidden\n')
    },
    /a\.txt/,
  ],
  'a change to a file with the skip-worktree mark': [
    (path) => {
      git(path, 'update-index', '--skip-worktree', 'a.txt')
      write(join(path, 'a.txt'), 'skipped\n')
    },
    /a\.txt/,
  ],
  'a change that leaves size and time of the file as they were': [
    (path) => {
      git(path, 'config', 'core.trustctime', 'false')
      git(path, 'config', 'core.checkStat', 'minimal')
      const { atime, mtime } = statSync(join(path, 'a.txt'))
      git(path, 'status')
      writeFileSync(join(path, 'a.txt'), 'ONE\n')
      utimesSync(join(path, 'a.txt'), atime, mtime)
    },
    /a\.txt/,
  ],
  'a file outside a sparse checkout': [
    (path) => {
      git(path, 'sparse-checkout', 'set', '--no-cone', '/a.txt')
      write(join(path, 'src', 'b.txt'), 'sparse\n')
    },
    /src\/b\.txt/,
  ],
  'a deleted file': [(path) => rmSync(join(path, 'a.txt')), /a\.txt/],
  'a file that git was told to delete': [(path) => git(path, 'rm', '-q', 'a.txt'), /a\.txt/],
  'a file that became executable': [(path) => chmodSync(join(path, 'a.txt'), 0o755), /a\.txt/],
  'a renamed file': [(path) => renameSync(join(path, 'a.txt'), join(path, 'z.txt')), /z\.txt/],
  'a folder in the place of a file': [
    (path) => {
      rmSync(join(path, 'a.txt'))
      write(join(path, 'a.txt', 'inner'), 'inner\n')
    },
    /a\.txt\//,
  ],
  'a link in the place of a folder': [
    (path, project) => {
      rmSync(join(path, 'src'), { recursive: true })
      symlinkSync(join(project, 'src'), join(path, 'src'))
    },
    /src/,
  ],
  'an untracked link': [(path, project) => symlinkSync(project, join(path, 'link')), /link/],
  'a repository of its own': [
    (path) => {
      write(join(path, 'nested', 'n.txt'), 'nested\n')
      git(join(path, 'nested'), 'init', '-q', '-b', 'main', '.')
      commit(join(path, 'nested'), 'nested commit')
      rmSync(join(path, 'nested', 'n.txt'))
    },
    /nested\//,
  ],
  'a repository inside a tracked folder': [
    (path) => {
      git(join(path, 'src'), 'init', '-q', '-b', 'main', '.')
      git(join(path, 'src'), 'commit', '-q', '--allow-empty', '-m', 'hidden commit')
    },
    /src\/\.git\//,
  ],
  'an ignored repository': [
    (path) => {
      write(join(path, 'built', 'repo', 'n.txt'), 'ignored repository\n')
      git(join(path, 'built', 'repo'), 'init', '-q', '-b', 'main', '.')
      commit(join(path, 'built', 'repo'), 'ignored commit')
    },
    /built\//,
  ],
  'files whose .git link was deleted': [
    (path) => {
      rmSync(join(path, '.git'))
      write(join(path, 'a.txt'), 'without link\n')
    },
    /files beside a missing \.git: /,
  ],
  'staged files, although its folder was deleted': [
    (path) => {
      write(join(path, 'staged.txt'), 'staged only\n')
      git(path, 'add', 'staged.txt')
      rmSync(path, { recursive: true })
    },
    /staged changes/,
  ],
}

/** All kinds of work; the other cases are found in the same way. */
const MOVED_CASES: ReadonlySet<string> = new Set([
  'a file that was staged and changed again',
  'a file whose name is not valid UTF-8',
  'an ignored folder',
  'a repository inside a tracked folder',
  'files whose .git link was deleted',
  'staged files, although its folder was deleted',
])

for (const [name, [change, reason]] of Object.entries(KEPT_CASES)) {
  test(`a worktree with ${name} is kept`, async () => {
    const { result } = await removeAfter(change)

    expect(result).toMatchObject({ kind: 'kept', obstacles: [] })
    expect(result.kind === 'kept' && result.unsavedWork.join('\n')).toMatch(reason)
  })

  if (!MOVED_CASES.has(name)) continue
  test(`a worktree with ${name} is moved to a named folder on request`, async () => {
    const { result, project } = await removeAfter(change, true)

    expect(result).toMatchObject({ kind: 'removed', savedFolder: expect.stringContaining(join(project, '.haft')) })
    expect(git(project, 'status', '--porcelain')).toBe('')
  })
}

const OBSTACLES: Readonly<Record<string, readonly [change: Change, reason: RegExp]>> = {
  'is locked': [
    (path, project) => git(project, 'worktree', 'lock', '--reason', 'on a stick', path),
    /locked \(on a stick\)/,
  ],
  'is used by a git command': [
    (_path, _project, worktree) => write(join(findAdminFolder(worktree) ?? '', 'index.lock'), ''),
    /index\.lock exists/,
  ],
  'is in the middle of a merge with conflicts': [
    (path, project) => {
      commit(project, 'ours', 'a.txt')
      commit(path, 'theirs', 'a.txt')
      tryGit(path, 'merge', '-q', 'main')
    },
    /a merge is in progress/,
  ],
  'is in the middle of a merge without conflicts': [
    (path, project) => {
      commit(project, 'on main', 'main.txt')
      commit(path, 'on branch')
      tryGit(path, 'merge', '-q', '--no-commit', '--no-ff', 'main')
    },
    /a merge is in progress/,
  ],
  'is in the middle of a rebase': [
    (path, project) => {
      commit(project, 'ours', 'a.txt')
      commit(path, 'theirs', 'a.txt')
      tryGit(path, 'rebase', '-q', 'main')
    },
    /a rebase is in progress/,
  ],
  'is in the middle of a cherry-pick': [
    (path, project) => {
      commit(project, 'ours', 'a.txt')
      commit(path, 'theirs', 'a.txt')
      tryGit(path, 'cherry-pick', 'main')
    },
    /a cherry-pick is in progress/,
  ],
  'is in the middle of a bisect': [
    (path) => {
      git(path, 'bisect', 'start')
      git(path, 'bisect', 'bad')
    },
    /a bisect is in progress/,
  ],
}

for (const [name, [change, reason]] of Object.entries(OBSTACLES)) {
  test(`a worktree that ${name} is kept, even if its work could be moved`, async () => {
    const { result } = await removeAfter(change, true)

    expect(result.kind === 'kept' && result.obstacles.join('\n')).toMatch(reason)
  })
}

test('a branch with commits of its own is kept and named', async () => {
  const { result, project } = await removeAfter((path) => commit(path, 'own work'))

  expect(result).toEqual({ ...REMOVED, branch: 'haft/work' })
  expect(git(project, 'show', 'haft/work:new.txt')).toBe('own work')
})

test('another branch that was created in the worktree is kept', async () => {
  const { result, project } = await removeAfter((path) => {
    git(path, 'checkout', '-q', '-b', 'feature')
    commit(path, 'feature work')
  })

  expect(result).toEqual(REMOVED)
  expect(listBranches(project)).toEqual(['feature'])
})

const LOOSE_COMMITS: Readonly<Record<string, Change>> = {
  'of a detached HEAD': (path) => {
    git(path, 'checkout', '-q', '--detach')
    commit(path, 'detached work')
  },
  'that were amended': (path) => {
    commit(path, 'first version')
    git(path, 'commit', '-q', '--amend', '-m', 'second version')
  },
  'that were reset': (path) => {
    commit(path, 'thrown away')
    git(path, 'reset', '-q', '--hard', 'HEAD~1')
  },
  'of references of the worktree': (path) => {
    git(path, 'checkout', '-q', '--detach')
    commit(path, 'own reference')
    git(path, 'update-ref', 'refs/worktree/mine', 'HEAD')
    git(path, 'checkout', '-q', 'haft/work')
    git(path, 'reflog', 'expire', '--expire=now', '--all')
  },
}

for (const [name, change] of Object.entries(LOOSE_COMMITS)) {
  test(`commits ${name} are kept by a reference that the result names`, async () => {
    const { result, project } = await removeAfter(change)

    expect(result).toMatchObject({ kind: 'removed', refs: [expect.stringMatching(/^refs\/haft\/removed\/work\//)] })
    const [ref = ''] = result.kind === 'removed' ? result.refs : []
    expect(git(project, 'rev-parse', '--verify', ref)).toMatch(/^[0-9a-f]+\n$/)
  })
}

test('both versions of a file that was staged and changed again can be read after the move', async () => {
  const change = KEPT_CASES['a file that was staged and changed again']?.[0] as Change
  const { result, project } = await removeAfter(change, true)

  const { refs = [], savedFolder = '' } = result.kind === 'removed' ? result : {}
  expect(git(project, 'show', `${refs[0]}:a.txt`)).toBe('staged version\n')
  expect(readFileSync(join(savedFolder, 'files', 'a.txt'), 'utf8')).toBe('later version\n')
})

test('no program of the repository runs', async () => {
  const mark = join(fixture.folder, 'ran')
  const project = fixture.copy()
  const hook = join(project, '.git', 'hooks', 'post-checkout')
  write(hook, `#!/bin/sh\ntouch ${mark}\n`)
  chmodSync(hook, 0o755)
  git(project, 'config', 'core.fsmonitor', `touch ${mark}; false`)

  const worktree = await fixture.enter(project)
  const result = await removeWorktree(worktree)

  expect(result).toEqual(REMOVED)
  expect(existsSync(mark)).toBe(false)
  // The hook and the monitor work.
  tryGit(project, 'checkout', '-q', '-b', 'other')
  expect(existsSync(mark)).toBe(true)
})

test('a filter that was configured later keeps the worktree, and does not run', async () => {
  const mark = join(fixture.folder, 'filtered')
  const { project, worktree } = await fixture.open()
  git(project, 'config', 'filter.own.clean', `touch ${mark}; cat`)
  write(join(worktree.path, '.gitattributes'), '* filter=own\n')

  await expect(removeWorktree(worktree)).rejects.toThrow('git would run a program that the repository configures')
  expect(existsSync(mark)).toBe(false)
  expect(existsSync(worktree.path)).toBe(true)
})
