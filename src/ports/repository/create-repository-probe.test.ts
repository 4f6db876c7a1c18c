import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { programOfRepository } from '../../shell/git/program-of-repository.js'
import { GIT_TEST_ENVIRONMENT } from '../../testing/git-fixture.js'
import { testWithProgram } from '../../testing/test-with-program.js'
import { createRepositoryProbe } from './create-repository-probe.js'

const testWithGit = testWithProgram('git')
let folder = ''
let repository = ''

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-probe-')))
  repository = join(folder, 'repository')
  mkdirSync(repository)
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const bash = (script: string, cwd = repository) =>
  execFileSync('bash', ['-ec', script], { cwd, env: GIT_TEST_ENVIRONMENT })
const initial = 'git init -q . && echo a > a.txt && git add . && git commit -qm first'
const probe = (more: Record<string, string> = {}) => createRepositoryProbe({ ...GIT_TEST_ENVIRONMENT, ...more })
const statusRuns = async (path = repository, more: Record<string, string> = {}) => {
  const facts = await probe(more).facts(path)
  return facts === null ? null : programOfRepository(facts, 'status', [])
}

test('a folder outside of repositories has no facts', async () => {
  expect(await probe().facts(folder)).toBeNull()
  expect(await probe().facts(join(folder, 'not-there'))).toBeNull()
})

testWithGit('a repository is found from a folder in it', async () => {
  bash(`${initial}; mkdir -p src/deep`)
  expect(await probe().facts(join(repository, 'src/deep'))).toMatchObject({
    doubt: null,
    prefix: 'src/deep/',
    hooks: [],
  })
  expect(await probe().facts(join(repository, 'missing'))).toMatchObject({
    doubt: expect.stringContaining('not there'),
  })
})

testWithGit('facts are kept until a file changes that was looked at, or comes to be', async () => {
  bash(initial)
  const kept = probe()
  const first = await kept.facts(repository)
  expect(await kept.facts(repository)).toBe(first)

  bash('git config core.fsmonitor ./evil.sh')
  const second = await kept.facts(repository)
  expect(second).not.toEqual(first)

  bash('printf "#!/bin/sh\\n" > .git/hooks/post-index-change && chmod +x .git/hooks/post-index-change')
  expect(await kept.facts(repository)).toMatchObject({ hooks: ['post-index-change'] })
})

testWithGit('includes are followed, whatever their condition', async () => {
  bash(`${initial}; git config includeIf.gitdir:/elsewhere.path ../../more`)
  expect(await statusRuns()).toBeNull()
  writeFileSync(join(folder, 'more'), '[include]\npath = third\n')
  expect(await statusRuns()).toBeNull()
  writeFileSync(join(folder, 'third'), '[core]\nfsmonitor = x\n')
  expect(await statusRuns()).toContain('core.fsmonitor')
})

testWithGit('a file that includes itself, or that cannot be read, is a doubt', async () => {
  bash(`${initial}; git config include.path config`)
  expect(await statusRuns()).toContain('too many')
  bash('rm .git/config && mkfifo .git/config')
  expect(await statusRuns()).toContain('cannot be read')
})

testWithGit('a linked working tree has the settings and hooks of its repository', async () => {
  bash(`${initial}; git worktree add -q ../linked; git config core.fsmonitor x`)
  expect(await statusRuns(join(folder, 'linked'))).toContain('core.fsmonitor')
  bash('git config --unset core.fsmonitor; git config extensions.worktreeConfig true')
  bash('git config --worktree core.fsmonitor x', join(folder, 'linked'))
  expect(await statusRuns(join(folder, 'linked'))).toContain('core.fsmonitor')
  expect(await statusRuns()).toBeNull()
})

testWithGit('a repository in the index is entered, one that is not is left alone', async () => {
  bash(`${initial}; mkdir inner; cd inner; ${initial}; git config core.fsmonitor x`)
  expect(await statusRuns()).toBeNull()
  bash('git add inner 2>/dev/null')
  expect(await statusRuns()).toContain('of a submodule')
})

testWithGit('a bare repository that is hidden in a working tree is the one that git takes', async () => {
  bash(`${initial}; git init -q --bare docs; git -C docs config core.fsmonitor x; git add .`)
  expect(await statusRuns()).toBeNull()
  expect(await statusRuns(join(repository, 'docs'))).toContain('core.fsmonitor')
  writeFileSync(join(repository, 'docs/HEAD'), 'odd')
  expect(await statusRuns(join(repository, 'docs'))).toContain('odd HEAD')
})

testWithGit('a file that leads to a repository is followed', async () => {
  bash(`${initial}; git config core.fsmonitor x; mkdir ../other; echo "gitdir: ../repository/.git" > ../other/.git`)
  expect(await statusRuns(join(folder, 'other'))).toContain('core.fsmonitor')
  writeFileSync(join(folder, 'other/.git'), 'gitdir: nowhere\n')
  expect(await statusRuns(join(folder, 'other'))).toContain('leads nowhere')
})

testWithGit('hooks are looked for where the settings say', async () => {
  bash(`${initial}; mkdir hooks; echo > hooks/post-index-change; git config core.hooksPath hooks`)
  expect(await statusRuns()).toBeNull()
  chmodSync(join(repository, 'hooks/post-index-change'), 0o755)
  expect(await statusRuns()).toContain('post-index-change')
})

testWithGit("the user's settings count where they point into the repository", async () => {
  bash(initial)
  const user = join(folder, 'user')
  writeFileSync(user, `[include]\npath = ${repository}/shared\n[core]\nfsmonitor = watcher\n`)
  expect(await statusRuns(repository, { GIT_CONFIG_GLOBAL: user })).toBeNull()
  writeFileSync(join(repository, 'shared'), '[core]\nfsmonitor = watcher\n')
  expect(await statusRuns(repository, { GIT_CONFIG_GLOBAL: user })).toContain('core.fsmonitor')
})

testWithGit('variables of the host that choose another repository are a doubt', async () => {
  bash(initial)
  expect(await statusRuns(repository, { GIT_DIR: '/x' })).toContain('GIT_DIR')
  expect(await statusRuns(repository, { GIT_TRACE: '/tmp/x' })).toContain('GIT_TRACE')
  expect(await statusRuns(repository, { GIT_EDITOR: 'vi', GIT_PAGER: 'cat' })).toBeNull()
  const counted = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.fsmonitor', GIT_CONFIG_VALUE_0: './x' }
  expect(await statusRuns(repository, counted)).toContain('core.fsmonitor')
})

testWithGit('a signed commit is seen, and in a pack any may be signed', async () => {
  bash(`${initial}; git config gpg.program ./x`)
  expect(await probe().facts(repository)).toMatchObject({ hasSignatures: false })
  bash(
    'tree=$(git rev-parse HEAD^{tree}); printf "tree $tree\\nauthor a <a> 0 +0000\\ncommitter a <a> 0 +0000\\ngpgsig x\\n\\nm\\n" | git hash-object -t commit -w --stdin',
  )
  expect(await probe().facts(repository)).toMatchObject({ hasSignatures: true })
  bash('rm -rf .git; git init -q .; echo b > a.txt; git add .; git commit -qm b; git config gpg.program ./x; git gc -q')
  expect(await probe().facts(repository)).toMatchObject({ hasSignatures: true })
})

testWithGit('what is staged is told from loose objects, and unknown where they are packed', async () => {
  bash(`${initial}; git config diff.x.textconv y; mkdir src; echo b > src/b.txt; git rm -q --cached a.txt; git add src`)
  expect(await probe().facts(repository)).toMatchObject({ staged: ['src/b.txt', 'a.txt'] })
  bash('git update-index --index-version 4')
  expect(await probe().facts(repository)).toMatchObject({ staged: ['src/b.txt', 'a.txt'] })
  bash('git gc -q')
  expect(await probe().facts(repository)).toMatchObject({ staged: 'unknown' })
})

testWithGit('a link that leads elsewhere by now is followed anew', async () => {
  bash(`${initial}; git config core.fsmonitor x`)
  cpSync(repository, join(folder, 'copy'), { recursive: true })
  bash('git config --unset core.fsmonitor', join(folder, 'copy'))
  const link = join(folder, 'link')
  const kept = probe()
  symlinkSync(join(folder, 'copy'), link)
  const before = await kept.facts(link)
  rmSync(link)
  symlinkSync(repository, link)
  expect(await kept.facts(link)).not.toEqual(before)
})
