import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { GIT_TEST_ENVIRONMENT } from '../../testing/files/git-fixture.js'
import { testWithProgram } from '../../testing/test-with-program.js'
import { createRepositoryProbe } from './create-repository-probe.js'

const testWithGit = testWithProgram('git')
let folder = ''
let repository = ''

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-foreign-')))
  repository = join(folder, 'repository')
  mkdirSync(repository)
  writeFileSync(join(folder, 'key'), 'TOPSECRET\n')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const runBash = (script: string, cwd = repository) =>
  execFileSync('bash', ['-ec', script], { cwd, env: GIT_TEST_ENVIRONMENT })
const git = (command: string) => {
  const { stdout, stderr } = spawnSync('bash', ['-c', command], { cwd: repository, env: GIT_TEST_ENVIRONMENT })
  return `${stdout}${stderr}`
}
const findProblem = async (path = repository) =>
  (await createRepositoryProbe(GIT_TEST_ENVIRONMENT).facts(path))?.problem ?? null

const INIT_COMMAND = 'git init -q . && echo a > a.txt && git add . && git commit -qm first'
const OTHER_REPOSITORY_COMMAND =
  'mkdir ../other; cd ../other; git init -q .; echo TOPSECRET > s; git add s; git commit -qm TOPSECRET; ' +
  'OTHER=$(git rev-parse HEAD); cd ../repository'

const FOREIGN_PARTS: readonly (readonly [name: string, setup: string, command: string])[] = [
  [
    'a loose object',
    `${OTHER_REPOSITORY_COMMAND}; cd ../other/.git/objects; for f in ??/*; do mkdir -p ../../../repository/.git/objects/$(dirname $f); ln -s $PWD/$f ../../../repository/.git/objects/$f; done; cd ../../../repository; git tag o $OTHER`,
    'git show o',
  ],
  [
    'a linked folder that contains a link',
    'mkdir .git/hooks/info; ln -s ../../../../key .git/hooks/info/exclude; rm -r .git/info; ln -s hooks/info .git/info',
    'git check-ignore -v TOPSECRET',
  ],
  ['shallow', 'ln -s ../../key .git/shallow', 'git log'],
  ['packed references', 'ln -sf ../../key .git/packed-refs', 'git branch'],
  ['grafts', 'ln -s ../../../key .git/info/grafts', 'git status'],
  ['alternates', 'ln -s ../../../../key .git/objects/info/alternates', 'git log'],
  ['a remote', 'mkdir -p .git/branches; ln -s ../../../key .git/branches/x', 'git remote get-url x'],
  ['an excluded pattern', 'ln -sf ../../../key .git/info/exclude', 'git check-ignore -v TOPSECRET'],
  [
    'a rebase',
    'git checkout -q --detach; mkdir .git/rebase-merge; ln -s ../../../key .git/rebase-merge/head-name; git rev-parse HEAD > .git/rebase-merge/onto',
    'git branch',
  ],
  ['a bisection', 'git checkout -q --detach; ln -s ../../key .git/BISECT_START; echo > .git/BISECT_LOG', 'git status'],
  [
    'the lock of a working tree',
    'git worktree add -q ../linked; ln -s ../../../../key .git/worktrees/linked/locked',
    'git worktree list -v',
  ],
  [
    'a log',
    `${OTHER_REPOSITORY_COMMAND}; sed s/$OTHER/$(git rev-parse HEAD)/ ../other/.git/logs/HEAD > ../log; ln -sf ../../../log .git/logs/HEAD`,
    'git reflog',
  ],
  ['settings', 'printf "[a]\\nb = TOPSECRET" > ../config; ln -sf ../../config .git/config', 'git config a.b'],
  [
    'objects',
    `${OTHER_REPOSITORY_COMMAND}; echo $PWD/../other/.git/objects > .git/objects/info/alternates; git tag o $OTHER`,
    'git show o',
  ],
  [
    'the folder of objects',
    `${OTHER_REPOSITORY_COMMAND}; rm -r .git/objects; ln -s ../../other/.git/objects .git/objects; echo $OTHER > .git/refs/heads/o`,
    'git show o',
  ],
  [
    'a multi-pack index',
    `${OTHER_REPOSITORY_COMMAND}; git -C ../other repack -qad; cp ../other/.git/objects/pack/pack-* .git/objects/pack; git multi-pack-index write; cd .git/objects/pack; mv pack-*.idx ../../../../p.idx; mv pack-*.pack ../../../../p.pack; sed -i "s|pack-[0-9a-f]*[.]idx|$(printf '../../../..%033dp.idx' 0 | tr 0 /)|" multi-pack-index; cd ../../..; echo $OTHER > .git/refs/heads/o`,
    'git show o',
  ],
  [
    'a path in the index',
    'mkdir xx; touch xx/key; git add xx; sed -i "s|xx/key|../key|" .git/index',
    'git grep TOPSECRET',
  ],
  [
    'a longer path in the index',
    'mkdir -p a/xx/xx; touch a/xx/xx/key; git add a; sed -i "s|a/xx/xx/key|a/../../key|" .git/index',
    'git grep TOPSECRET',
  ],
  [
    'a submodule in the index',
    `${OTHER_REPOSITORY_COMMAND}; git -C ../other mv s TOPSECRET; git update-index --add --cacheinfo 160000,$OTHER,xx/other; sed -i "s|xx/other|../other|" .git/index; git config submodule.x.active true; git config -f .gitmodules submodule.x.path ../other`,
    'git ls-files --recurse-submodules',
  ],
  [
    'a submodule that is a link',
    `${OTHER_REPOSITORY_COMMAND}; git -C ../other mv s TOPSECRET; git update-index --add --cacheinfo 160000,$OTHER,sub; ln -s ../other sub; git config submodule.x.active true; git config -f .gitmodules submodule.x.path sub`,
    'git ls-files --recurse-submodules',
  ],
  [
    'a tracked folder with a name that is not UTF-8',
    `mkdir $'\\xff'; touch $'\\xff/key'; git add .; rm -r $'\\xff'; ln -s .. $'\\xff'`,
    'git grep TOPSECRET',
  ],
  ['the git folder as a link', `${OTHER_REPOSITORY_COMMAND}; rm -r .git; ln -s ../other/.git .git`, 'git show'],
  [
    'the git folder by name',
    `${OTHER_REPOSITORY_COMMAND}; rm -r .git; echo "gitdir: ../other/.git" > .git`,
    'git show',
  ],
  [
    'the folder of another repository',
    `${OTHER_REPOSITORY_COMMAND}; echo $PWD/../other/.git > .git/commondir; cp ../other/.git/HEAD .git/HEAD`,
    'git show',
  ],
]
for (const [name, setup, command] of FOREIGN_PARTS) {
  testWithGit(`a repository is not analysed if git would print foreign files through ${name}`, async () => {
    runBash(`${INIT_COMMAND}; ${setup}`)
    expect(git(command)).toContain('TOPSECRET')
    expect(await findProblem()).not.toBeNull()
  })
}

testWithGit('a repository is not analysed if its multi-pack index is malformed or a chain of files', async () => {
  runBash(`${INIT_COMMAND}; echo MIDX > .git/objects/pack/multi-pack-index`)
  expect(await findProblem()).toContain('multi-pack-index')
  runBash('rm .git/objects/pack/multi-pack-index; mkdir .git/objects/pack/multi-pack-index.d')
  expect(await findProblem()).toContain('multi-pack-index.d')
})

testWithGit('a repository is not analysed if a folder of it contains a name that is not UTF-8', async () => {
  runBash(`${INIT_COMMAND}; ln -s ../key $'.git/\\xff'`)
  expect(await findProblem()).toContain('cannot be examined')
  runBash(`rm $'.git/\\xff'; ln -s .. $'\\xff'`)
  expect(await findProblem()).toContain('cannot be examined')
})

testWithGit('a repository is not analysed if its git folder contains a pipe', async () => {
  runBash(`${INIT_COMMAND}; mkfifo .git/info/grafts`)
  expect(await findProblem()).toContain('not an ordinary file')
})

const OWN_REPOSITORIES: readonly (readonly [name: string, setup: string])[] = [
  ['a plain one', ''],
  [
    'one with links to hooks',
    'ln -s ../../../a.txt .git/hooks/pre-commit; mv .git/hooks ..; ln -s ../../hooks .git/hooks',
  ],
  ['one with the lock of an editor', 'ln -s user@host.1:2 .git/.#COMMIT_EDITMSG'],
  ['one whose HEAD is a link', 'git config core.preferSymlinkRefs true; git checkout -q -b next; test -L .git/HEAD'],
  ['one with packed objects, a stash and tags', 'git tag v1; echo b > a.txt; git stash -q; git gc -q'],
  ['one with a multi-pack index', 'git repack -qad; git multi-pack-index write'],
  ['one with empty alternates', 'echo > .git/objects/info/alternates'],
  [
    'one in the middle of a rebase',
    'git checkout -q -b x; echo b > a.txt; git commit -qam b; git rebase -q -f -x false HEAD~1 || true',
  ],
]
for (const [name, setup] of OWN_REPOSITORIES) {
  testWithGit(`a repository is analysed if it is ${name}`, async () => {
    runBash(`${INIT_COMMAND}; ${setup}`)
    expect(await findProblem()).toBeNull()
  })
}

describe('a git folder outside the working tree is accepted for', () => {
  testWithGit('linked working trees, as long as their repository names them', async () => {
    runBash(`${INIT_COMMAND}; git worktree add -q ../linked`)
    expect(await findProblem(join(folder, 'linked'))).toBeNull()
    runBash('mkdir ../copy; cp ../linked/.git ../copy/.git')
    expect(await findProblem(join(folder, 'copy'))).toContain('another repository')
  })

  testWithGit('submodules, as long as their git folder names them', async () => {
    runBash(
      `${OTHER_REPOSITORY_COMMAND}; ${INIT_COMMAND}; git -c protocol.file.allow=always submodule --quiet add ../other sub; git commit -qm sub`,
    )
    expect(await findProblem()).toBeNull()
    expect(await findProblem(join(repository, 'sub'))).toBeNull()
    runBash('mkdir ../copy; echo "gitdir: $PWD/.git/modules/sub" > ../copy/.git')
    expect(await findProblem(join(folder, 'copy'))).toContain('core.worktree')
  })
})

testWithGit('foreign files in a submodule are reported as its problem', async () => {
  runBash(`${INIT_COMMAND}; mkdir sub; cd sub; ${INIT_COMMAND}; cd ..; git add sub 2>/dev/null`)
  symlinkSync(join(folder, 'key'), join(repository, 'sub/.git/shallow'))
  const facts = await createRepositoryProbe(GIT_TEST_ENVIRONMENT).facts(repository)
  expect(facts?.submodules[0]?.problem).toContain('shallow')
})

testWithGit('a link to a foreign file that appears after the first analysis is reported', async () => {
  runBash(`${INIT_COMMAND}; mkdir -p .git/refs/heads/topic`)
  const probe = createRepositoryProbe(GIT_TEST_ENVIRONMENT)
  expect(await probe.facts(repository)).toMatchObject({ problem: null })
  symlinkSync(join(folder, 'key'), join(repository, '.git/refs/heads/topic/x'))
  expect(existsSync(join(repository, '.git/refs/heads/topic/x'))).toBe(true)
  expect(await probe.facts(repository)).toMatchObject({ problem: expect.stringContaining('topic/x') })
})
