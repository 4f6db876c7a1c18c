import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test as vitestTest } from 'vitest'
import { testWithProgram } from '../../../testing/test-with-program.js'
import { SandboxFixture } from '../fixture-sandbox.js'
import { findUserGitConfig, listNamedAround } from './git-control.js'

const test = testWithProgram('bwrap', 'bubblewrap')

let fixture: SandboxFixture
let ran: string
beforeEach(() => {
  fixture = new SandboxFixture()
  ran = join(fixture.root, 'ran')
})
afterEach(() => fixture.remove())

const identity = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' }

/** Runs git outside the sandbox, as the user does. */
function git(...args: readonly string[]): string {
  const env = { ...process.env, ...identity, HOME: fixture.home, GIT_CONFIG_NOSYSTEM: '1' }
  const fileProtocolOptions = ['-c', 'protocol.file.allow=always']
  return execFileSync('git', [...fileProtocolOptions, ...args], {
    cwd: fixture.project,
    env,
    encoding: 'utf8',
    stdio: 'pipe',
  })
}

/** A command can break a repository by deleting its files, so git may fail. */
function tryGit(...args: readonly string[]): void {
  try {
    git(...args)
  } catch {
    // Git failed. The test checks only which programs it ran.
  }
}

function put(path: string, content: string, mode = 0o644): void {
  const file = join(fixture.project, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content, { mode })
}

function createRepository(folder = '.'): void {
  git('init', '-q', folder)
  put(join(folder, 'file'), 'x')
  git('-C', folder, 'add', 'file')
  git('-C', folder, 'commit', '-qm', 'first')
}

function addSubmodule(name: string): void {
  createRepository()
  git('clone', '-q', '.', '../library')
  git('submodule', '--quiet', 'add', '../library', name)
  git('commit', '-qm', 'second')
}

/** A git configuration that makes git run a program, which creates a file. */
const createEvilConfig = () => `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "touch ${ran}; false"\n`

/** Runs a hostile command, and then `git status` and a commit as the user would. Returns whether that ran a program. */
async function isTrickedBy(command: string, folder = '.'): Promise<boolean> {
  put('evil/config', createEvilConfig())
  const script = `export EVIL=${join(fixture.project, 'evil')}; ${command}`
  await fixture.run(fixture.openSandbox(), script, { environment: { ...identity, HOME: fixture.home } })
  for (const targetFolder of ['.', folder]) {
    tryGit('-C', targetFolder, 'status')
    tryGit('-C', targetFolder, 'commit', '-q', '--allow-empty', '-m', 'next')
  }
  return existsSync(ran)
}

test('a hostile git configuration runs a program if no sandbox prevents it', async () => {
  createRepository()
  put('.git/config', createEvilConfig())

  expect(await isTrickedBy('true')).toBe(true)
})

const REDIRECT_SCRIPT = 'cp -r .git/objects .git/refs .git/HEAD "$EVIL"; echo "$EVIL" >'

const SUBMODULE_TRICKS: readonly (readonly [string, string])[] = [
  ['the redirection of a submodule', 'echo "$EVIL" > .git/modules/libs/sub/commondir'],
  ['the redirection of the repository', `${REDIRECT_SCRIPT} .git/commondir`],
  ['the configuration of a submodule', 'cp "$EVIL/config" .git/modules/libs/sub/config'],
  ['a hook of a submodule', 'echo "touch $OUT" > .git/modules/libs/sub/hooks/pre-commit'],
  [
    'the git folder of a submodule',
    'mv .git/modules/libs/sub s; cp -r s .git/modules/libs/sub; cp "$EVIL/config" .git/modules/libs/sub',
  ],
  ['the folder of all submodules', 'mv .git/modules m; cp -r m .git/modules; cp "$EVIL/config" .git/modules/libs/sub'],
  [
    'the .git file of a submodule',
    'cp -r .git/modules/libs/sub s; cp "$EVIL/config" s; echo "gitdir: $PWD/s" > libs/sub/.git',
  ],
]

for (const [trickName, command] of SUBMODULE_TRICKS) {
  test(`a command cannot change ${trickName}`, async () => {
    addSubmodule('libs/sub')

    expect(await isTrickedBy(command, 'libs/sub')).toBe(false)
  })
}

for (const [kind, command] of [
  ['.git/remotes', 'mkdir -p .git/remotes; echo "URL: $TARGET" > .git/remotes/origin'],
  ['.git/branches', 'mkdir -p .git/branches; echo "$TARGET#main" > .git/branches/origin'],
] as const) {
  for (const hasFolder of [true, false]) {
    test(`a command cannot add a remote in ${kind}, whose hooks a push would run (folder exists: ${hasFolder})`, async () => {
      createRepository()
      rmSync(join(fixture.project, kind), { recursive: true, force: true })
      if (hasFolder) mkdirSync(join(fixture.project, kind))
      git('init', '-q', '--bare', 'target')
      put('target/hooks/pre-receive', `#!/bin/sh\ntouch ${ran}\n`, 0o755)

      const script = `TARGET=${join(fixture.project, 'target')}; ${command}`
      await fixture.run(fixture.openSandbox(), script, { environment: { ...identity, HOME: fixture.home } })
      tryGit('push', 'origin', 'HEAD:refs/heads/main')

      expect(existsSync(ran)).toBe(false)
    })
  }
}

test('a command cannot change the configuration of a nested repository at any depth', async () => {
  createRepository()
  createRepository('a/b/c/d/e')
  const nestedGitFolder = 'a/b/c/d/e/.git'

  expect(await isTrickedBy(`cp "$EVIL/config" ${nestedGitFolder}/config`, 'a/b/c/d/e')).toBe(false)
  expect(await isTrickedBy(`echo "$EVIL" > ${nestedGitFolder}/commondir`, 'a/b/c/d/e')).toBe(false)
  expect(
    await isTrickedBy(
      `mv ${nestedGitFolder} x; cp -r x ${nestedGitFolder}; cp "$EVIL/config" ${nestedGitFolder}`,
      'a/b/c/d/e',
    ),
  ).toBe(false)
})

test('a nested repository stays protected even if there are more than a thousand other folders', async () => {
  createRepository()
  createRepository('a/b/n')
  for (let index = 0; index < 1_100; index++) mkdirSync(join(fixture.project, `d${index}`))

  expect(await isTrickedBy('cp "$EVIL/config" a/b/n/.git/config', 'a/b/n')).toBe(false)
})

test('commands are refused if a folder has a name that is not UTF-8, because what is in it cannot be protected', async () => {
  const sandbox = fixture.openSandbox()
  await fixture.run(sandbox, `mkdir "$(printf '\\377')"`)

  await expect(fixture.run(sandbox, 'true')).rejects.toThrow(
    /cannot find all files that it must protect: .* is not UTF-8/,
  )
})

test('a new repository cannot run programs if neither the links in the index nor all folders can be read', async () => {
  createRepository()
  const create =
    'git init -q new; cd new; echo x > y; git add y; git commit -qm first; cp "$EVIL/config" .git/config; cd ..'
  const unreadable = `mv new "$(printf '\\377')"; git add .; git update-index --index-version 4`

  expect(await isTrickedBy(`${create}; ${unreadable}`)).toBe(false)
})

test('a new repository in the index cannot run programs, because its configuration is disabled', async () => {
  createRepository()
  const create =
    'git init -q new; cd new; echo x > y; git add y; git commit -qm first; cp "$EVIL/config" .git/config; cd ..'

  expect(await isTrickedBy(`${create}; git add new`, 'new')).toBe(false)
  expect(readdirSync(join(fixture.project, 'new/.git'))).toContain('config.disabled')
  const secondRun = await fixture.run(fixture.openSandbox(), 'cp new/.git/config.disabled new/.git/config')
  expect(secondRun.output).toContain('Read-only file system')
})

test('a repository that takes the place of a submodule cannot run programs', async () => {
  addSubmodule('libs/sub')
  const replace = 'mv libs old; mkdir libs; git clone -q . libs/sub; cp "$EVIL/config" libs/sub/.git'

  expect(await isTrickedBy(replace, 'libs/sub')).toBe(false)
})

const COPY_REPOSITORY = (folder: string) =>
  `mkdir -p ${folder}; cp -r .git/objects .git/refs .git/HEAD "$EVIL/config" ${folder}`
const LINK = 'git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub'

const UNUSUAL_SUBMODULES: readonly (readonly [string, string])[] = [
  ['a link to a git folder', `${COPY_REPOSITORY('x')}; ln -s ../x sub/.git`],
  ['a link to a .git file', `${COPY_REPOSITORY('x')}; echo 'gitdir: ../x' > f; ln -s ../f sub/.git`],
  ['a path with a blank at its end', `${COPY_REPOSITORY("'x '")}; echo 'gitdir: ../x ' > sub/.git`],
  ['a path with other line ends', `${COPY_REPOSITORY('x')}; printf 'gitdir: ../x\\r\\n\\n' > sub/.git`],
  ['a path with a zero byte', `${COPY_REPOSITORY('x')}; printf 'gitdir: ../x\\0y\\n' > sub/.git`],
  ['a path through a link', `${COPY_REPOSITORY('d/x')}; mkdir d/e; ln -s d/e l; echo 'gitdir: ../l/../x' > sub/.git`],
]
for (const [form, create] of UNUSUAL_SUBMODULES) {
  test(`a new submodule cannot run programs if its .git is ${form}`, async () => {
    createRepository()

    expect(await isTrickedBy(`mkdir sub; ${create}; ${LINK}`, 'sub')).toBe(false)
    expect(readdirSync(join(fixture.project, 'sub'))).toEqual(['.git.disabled'])
  })
}

test('a new submodule cannot run programs even if the names for disabled files are taken', async () => {
  createRepository()
  const create = `${COPY_REPOSITORY('x')}; mkdir -p sub x/config.disabled/full; echo 'gitdir: ../x' > sub/.git`

  expect(await isTrickedBy(`${create}; ${LINK}`, 'sub')).toBe(false)
})

test('a new submodule cannot run programs if its name is not UTF-8', async () => {
  createRepository()
  const create = `${COPY_REPOSITORY('s/.git')}; ${LINK.replace('sub', 's')}; git rm -q --cached s; mv s "$(printf '\\377')"`

  expect(await isTrickedBy(`${create}; git add .`)).toBe(false)
})

for (const folder of ['.', 'a/nested']) {
  test(`a working tree (${folder}) cannot become a repository with its parts elsewhere`, async () => {
    createRepository()
    createRepository('a/nested')
    const decoy = [
      `cd ${folder}; echo garbage > .git/HEAD; mkdir -p ev/objects ev/refs; echo ev > commondir`,
      'printf "[core]\\n\\tbare=false\\n\\tworktree=$PWD\\n" > config.worktree; cp "$EVIL/config" ev/config',
      'printf "[extensions]\\n\\tworktreeConfig=true\\n" >> ev/config; echo "ref: refs/heads/master" > HEAD',
    ]

    expect(await isTrickedBy(decoy.join('; '), folder)).toBe(false)
    expect(readdirSync(join(fixture.project, folder))).toContain('HEAD.disabled')
  })
}

test('a new repository cannot run programs even if the links in the index cannot be read', async () => {
  createRepository()
  const create =
    'git init -q new; cd new; echo x > y; git add y; git commit -qm first; cp "$EVIL/config" .git/config; cd ..'

  expect(await isTrickedBy(`${create}; git add new; git update-index --index-version 4`, 'new')).toBe(false)
})

test('a new repository without hostile settings keeps its configuration and hooks', async () => {
  createRepository()
  await fixture.run(fixture.openSandbox(), 'git clone -q . new; git add new', { environment: { HOME: fixture.home } })

  expect(readdirSync(join(fixture.project, 'new/.git'))).toEqual(expect.arrayContaining(['config', 'hooks']))
})

test('a command cannot put another repository in the place of a nested one by renaming a folder above it', async () => {
  createRepository()
  createRepository('a/nested')
  const create = 'mkdir -p a/nested; cp -r .git a/nested/.git; cp "$EVIL/config" a/nested/.git/config'

  expect(await isTrickedBy(`mv a/nested old; ${create}`, 'a/nested')).toBe(false)
  expect(await isTrickedBy(`mv a old; ${create}`, 'a/nested')).toBe(false)
})

test('a command cannot exchange what the git configuration names by renaming a folder above it', async () => {
  createRepository()
  git('config', 'core.hooksPath', 'tools/git/hooks')
  git('config', 'include.path', '../conf/git/settings')
  put('tools/git/hooks/pre-commit', '#!/bin/sh\n', 0o755)
  put('conf/git/settings', '')
  const hook = `mkdir -p tools/git/hooks; printf '#!/bin/sh\\ntouch ${ran}\\n' > tools/git/hooks/pre-commit; chmod +x tools/git/hooks/pre-commit`

  for (const folder of ['tools', 'tools/git']) expect(await isTrickedBy(`mv ${folder} old; ${hook}`)).toBe(false)
  for (const folder of ['conf', 'conf/git'])
    expect(await isTrickedBy(`mv ${folder} old; mkdir -p conf/git; cp "$EVIL/config" conf/git/settings`)).toBe(false)
})

test('a folder that settings make read-only stays so even if it contains a repository', async () => {
  createRepository('closed/a/nested')
  const sandbox = fixture.openSandbox({ denyWrite: [join(fixture.project, 'closed')] })

  const run = await fixture.run(
    sandbox,
    'echo x > closed/a/file; echo x > closed/a/nested/file; echo x > closed/a/nested/.git/file',
  )
  expect(run.output.match(/Read-only file system/g)).toHaveLength(3)
})

test('a command cannot change a linked worktree', async () => {
  createRepository()
  git('worktree', 'add', '-q', 'tree')

  expect(await isTrickedBy('echo "$EVIL" > .git/worktrees/tree/commondir', 'tree')).toBe(false)
  expect(await isTrickedBy('cp -r .git x; cp "$EVIL/config" x; echo "gitdir: $PWD/x" > tree/.git', 'tree')).toBe(false)
})

test('a command can neither change the hooks in the folder of core.hooksPath nor create this folder', async () => {
  createRepository()
  git('config', 'core.hooksPath', './githooks')
  const hook = `mkdir -p githooks; printf '#!/bin/sh\\ntouch ${ran}\\n' > githooks/pre-commit; chmod +x githooks/pre-commit`

  expect(await isTrickedBy(hook)).toBe(false)
  put('githooks/pre-commit', '#!/bin/sh\n', 0o755)
  expect(await isTrickedBy(hook)).toBe(false)
  expect(await isTrickedBy(`mv githooks old; ${hook}`)).toBe(false)
})

test('a command can neither change nor create files that the git configuration includes, directly or not', async () => {
  createRepository()
  git('config', 'include.path', '../settings/first')
  put('settings/first', '[include]\n\tpath = second\n')

  expect(await isTrickedBy('cp "$EVIL/config" settings/first')).toBe(false)
  expect(await isTrickedBy('cp "$EVIL/config" settings/second')).toBe(false)
})

const PIPES: readonly (readonly [string, string])[] = [
  ['an index', 'rm -f .git/index; mkfifo .git/index'],
  ['a config', 'mkdir -p n/.git; mkfifo n/.git/config'],
  ['a commondir', 'mkdir -p n/.git; mkfifo n/.git/commondir'],
  ['a .git file', 'mkdir n; mkfifo n/.git; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),n'],
]
for (const [pipeName, command] of PIPES) {
  test(`Haft does not wait for a pipe that a command creates as ${pipeName}`, async () => {
    createRepository()
    const sandbox = fixture.openSandbox()
    await fixture.run(sandbox, command)

    const isUnknown = /config|commondir/.test(command)
    const next = fixture.run(sandbox, 'echo next')
    if (isUnknown) await expect(next).rejects.toThrow(/cannot protect what git runs: .*n\/\.git\/co/)
    else expect((await next).output).toBe('next\n')
  })
}

test('a configuration that is too large to read makes the sandbox refuse commands', async () => {
  createRepository()
  truncateSync(join(fixture.project, '.git/config'), 2_000_000)

  await expect(fixture.run(fixture.openSandbox(), 'true')).rejects.toThrow('cannot protect what git runs')
})

vitestTest('a repository whose configuration is a pipe is protected as a whole', () => {
  createRepository()
  rmSync(join(fixture.project, '.git/config'))
  execFileSync('mkfifo', [join(fixture.project, '.git/config')])

  expect(listNamedAround(join(fixture.project, 'file'), findUserGitConfig(fixture.home))).toContain(fixture.project)
})

vitestTest('the permission system knows the files that the git configuration names', () => {
  createRepository()
  createRepository('nested')
  git('config', 'core.hooksPath', './githooks')
  git('-C', 'nested', 'config', 'include.path', '../settings')

  const namedPaths = listNamedAround(join(fixture.project, 'nested/src/file'), findUserGitConfig(fixture.home))
  expect(namedPaths).toEqual(
    expect.arrayContaining(['githooks', 'nested/settings'].map((path) => join(fixture.project, path))),
  )
  expect(listNamedAround(join(fixture.project, 'file'), findUserGitConfig(fixture.home))).not.toContain(
    join(fixture.project, 'nested/settings'),
  )
})

test('commits, branches and stashes work in the sandbox, and nothing is left behind', async () => {
  addSubmodule('libs/sub')
  const run = await fixture.run(
    fixture.openSandbox(),
    'set -e; echo y > file; git stash -q; git stash pop -q; git commit -qam next; git checkout -qb side; cd libs/sub; echo z > file; git commit -qam sub; git -C ../.. status --short',
    { environment: { ...identity, HOME: fixture.home } },
  )

  expect(run).toMatchObject({ exitCode: 0, output: ' M libs/sub\n' })
  for (const folder of ['.git', '.git/modules/libs/sub']) {
    const names = readdirSync(join(fixture.project, folder))
    expect(['commondir', 'config.worktree'].filter((name) => names.includes(name))).toEqual([])
  }
  expect(readFileSync(join(fixture.project, '.git/HEAD'), 'utf8')).toBe('ref: refs/heads/side\n')
})
