import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { analyseCommand } from '../../shell/analyse-command.js'
import { findRepositoryProgram } from '../../shell/git/find-repository-program.js'
import { GIT_TEST_ENVIRONMENT } from '../../testing/files/git-fixture.js'
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

const runBash = (script: string, cwd = repository) =>
  execFileSync('bash', ['-ec', script], { cwd, env: GIT_TEST_ENVIRONMENT })
const INIT_SCRIPT = 'git init -q . && echo a > a.txt && git add . && git commit -qm first'
const probe = (variables: Record<string, string> = {}) =>
  createRepositoryProbe({ ...GIT_TEST_ENVIRONMENT, ...variables })
const findProgramRunByStatus = async (path = repository, variables: Record<string, string> = {}) => {
  const facts = await probe(variables).facts(path)
  return facts === null ? null : findRepositoryProgram(facts, 'status', [])
}

test('the repository probe returns null for a folder outside any repository', async () => {
  expect(await probe().facts(folder)).toBeNull()
  expect(await probe().facts(join(folder, 'not-there'))).toBeNull()
})

testWithGit('a repository is found from any folder in it', async () => {
  runBash(`${INIT_SCRIPT}; mkdir -p src/deep`)
  expect(await probe().facts(join(repository, 'src/deep'))).toMatchObject({
    problem: null,
    hasIndexHook: false,
  })
  expect(await probe().facts(join(repository, 'missing'))).toMatchObject({
    problem: expect.stringContaining('does not exist'),
  })
})

testWithGit('facts about a repository are cached until a file that was looked at changes or is created', async () => {
  runBash(INIT_SCRIPT)
  const cached = probe()
  const first = await cached.facts(repository)
  expect(await cached.facts(repository)).toBe(first)

  runBash('git config core.fsmonitor ./evil.sh')
  const second = await cached.facts(repository)
  expect(second).not.toEqual(first)

  runBash('printf "#!/bin/sh\\n" > .git/hooks/post-index-change && chmod +x .git/hooks/post-index-change')
  expect(await cached.facts(repository)).toMatchObject({ hasIndexHook: true })
})

testWithGit(
  'a repository that includes other configuration files is not analysed, whatever their condition',
  async () => {
    runBash(`${INIT_SCRIPT}; git config includeIf.gitdir:/elsewhere.path ../../more`)
    expect(await findProgramRunByStatus()).toContain('includes other files')
  },
)

testWithGit("includes of the user's configuration are followed, whatever their condition", async () => {
  runBash(INIT_SCRIPT)
  const userConfig = join(folder, 'user')
  writeFileSync(userConfig, '[includeIf "gitdir:/elsewhere"]\npath = more\n')
  expect(await findProgramRunByStatus(repository, { GIT_CONFIG_GLOBAL: userConfig })).toBeNull()
  writeFileSync(join(folder, 'more'), '[include]\npath = third\n')
  expect(await findProgramRunByStatus(repository, { GIT_CONFIG_GLOBAL: userConfig })).toBeNull()
  writeFileSync(join(folder, 'third'), '[core]\nfsmonitor = ./x\n')
  expect(await findProgramRunByStatus(repository, { GIT_CONFIG_GLOBAL: userConfig })).toContain('core.fsmonitor')
})

testWithGit('a configuration file that includes itself, or that cannot be read, is not analysed', async () => {
  runBash(INIT_SCRIPT)
  const userConfig = join(folder, 'user')
  writeFileSync(userConfig, '[include]\npath = user\n')
  expect(await findProgramRunByStatus(repository, { GIT_CONFIG_GLOBAL: userConfig })).toContain('too many')
  runBash('rm .git/config && mkfifo .git/config')
  expect(await findProgramRunByStatus()).toContain('cannot be read')
})

testWithGit('a linked working tree uses the settings and hooks of its repository', async () => {
  runBash(`${INIT_SCRIPT}; git worktree add -q ../linked; git config core.fsmonitor x`)
  expect(await findProgramRunByStatus(join(folder, 'linked'))).toContain('core.fsmonitor')
  runBash('git config --unset core.fsmonitor; git config extensions.worktreeConfig true')
  runBash('git config --worktree core.fsmonitor x', join(folder, 'linked'))
  expect(await findProgramRunByStatus(join(folder, 'linked'))).toContain('core.fsmonitor')
  expect(await findProgramRunByStatus()).toBeNull()
})

testWithGit('a repository inside the working tree is analysed only if the index links to it', async () => {
  runBash(`${INIT_SCRIPT}; mkdir inner; cd inner; ${INIT_SCRIPT}; git config core.fsmonitor x`)
  expect(await findProgramRunByStatus()).toBeNull()
  runBash('git add inner 2>/dev/null')
  expect(await findProgramRunByStatus()).toContain('of a submodule')
})

testWithGit('a bare repository hidden in a working tree is analysed, because git uses it', async () => {
  runBash(`${INIT_SCRIPT}; git init -q --bare docs; git -C docs config core.fsmonitor x; git add .`)
  expect(await findProgramRunByStatus()).toBeNull()
  expect(await findProgramRunByStatus(join(repository, 'docs'))).toContain('core.fsmonitor')
  writeFileSync(join(repository, 'docs/HEAD'), 'odd')
  expect(await findProgramRunByStatus(join(repository, 'docs'))).toContain('HEAD is malformed')
})

testWithGit('a .git file that points to a git folder in the working tree is followed', async () => {
  runBash(`${INIT_SCRIPT}; git config core.fsmonitor x; mv .git folder; echo "gitdir: folder" > .git`)
  expect(await findProgramRunByStatus()).toContain('core.fsmonitor')
  writeFileSync(join(repository, '.git'), 'gitdir: nowhere\n')
  expect(await findProgramRunByStatus()).toContain('does not point to a repository')
})

testWithGit('hooks are looked up in the folder of core.hooksPath', async () => {
  runBash(`${INIT_SCRIPT}; mkdir hooks; echo > hooks/post-index-change; git config core.hooksPath hooks`)
  expect(await findProgramRunByStatus()).toBeNull()
  chmodSync(join(repository, 'hooks/post-index-change'), 0o755)
  expect(await findProgramRunByStatus()).toContain('post-index-change')
})

testWithGit("settings in the repository count as its own even if the user's configuration includes them", async () => {
  runBash(INIT_SCRIPT)
  const userConfig = join(folder, 'user')
  writeFileSync(userConfig, `[include]\npath = ${repository}/shared\n[core]\nfsmonitor = watcher\n`)
  expect(await findProgramRunByStatus(repository, { GIT_CONFIG_GLOBAL: userConfig })).toBeNull()
  writeFileSync(join(repository, 'shared'), '[core]\nfsmonitor = watcher\n')
  expect(await findProgramRunByStatus(repository, { GIT_CONFIG_GLOBAL: userConfig })).toContain('core.fsmonitor')
  writeFileSync(join(repository, 'shared'), `[include]\npath = ${folder}/outside\n`)
  expect(await findProgramRunByStatus(repository, { GIT_CONFIG_GLOBAL: userConfig })).toContain('includes other files')
})

testWithGit('environment variables that change what git does count as a problem of the repository', async () => {
  runBash(INIT_SCRIPT)
  expect(await findProgramRunByStatus(repository, { GIT_DIR: '/x' })).toContain('GIT_DIR')
  expect(await findProgramRunByStatus(repository, { GIT_TRACE: '/tmp/x' })).toContain('GIT_TRACE')
  expect(await findProgramRunByStatus(repository, { GIT_EDITOR: 'vi', GIT_PAGER: 'cat' })).toBeNull()
  const numberedVariables = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.fsmonitor', GIT_CONFIG_VALUE_0: './x' }
  expect(await findProgramRunByStatus(repository, numberedVariables)).toContain('core.fsmonitor')
})

const UNUSUAL_REPOSITORIES: readonly (readonly [name: string, script: string, problem: string])[] = [
  ['an index of version 4', 'git update-index --index-version 4', 'unusual format'],
  ['a split index', 'git update-index --split-index', 'unusual format'],
  [
    'a sparse index',
    'mkdir in out; touch in/x out/x; git add .; git commit -qm x; git sparse-checkout set --cone --sparse-index in',
    'unusual format',
  ],
  ['a broken index', 'echo broken > .git/index', 'unusual format'],
  ...['/xx', 'b//x', 'b/./', './xx', '.git', '.GIT', 'b/..'].map((path) => {
    const name = path.replace(/./g, 'q')
    const script = `touch ${name}; git add ${name}; sed -i "s|${name}|${path}|" .git/index`
    return [`the path ${path} in the index`, script, 'unusual paths'] as const
  }),
  ['SHA-256 objects', 'rm -rf .git; git init -q --object-format=sha256 .; git add .', 'objectFormat'],
  ['another working tree', 'git config core.worktree /elsewhere', 'core.worktree'],
]
for (const [name, script, problem] of UNUSUAL_REPOSITORIES) {
  testWithGit(`a repository with ${name} is not analysed`, async () => {
    runBash(`${INIT_SCRIPT}; ${script}`)
    expect(await findProgramRunByStatus()).toContain(problem)
  })
}

testWithGit('reading git commands run no program in an ordinary repository with many settings', async () => {
  runBash(
    `${INIT_SCRIPT}; mkdir -p src/a/b; for n in 1 2 3 4 5 6 7 8 9; do echo $n > src/a/b/file-$n.txt; done; ln -s a.txt link; ` +
      'git add -N src/a/b/file-1.txt; git add .; git config user.name A; git config core.autocrlf input; ' +
      'git config alias.st status; git remote add origin https://example.com/x.git; git config branch.main.merge refs/heads/main; ' +
      'git config pull.rebase true; git tag v1; git gc -q; ' +
      'printf "*.ts text\\n*.png binary\\n" > .gitattributes; cp .git/config .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit',
  )
  const facts = await probe().facts(repository)
  if (facts === null) throw new Error('no repository')
  for (const command of ['status', 'diff', 'diff --cached', 'log -p', 'show', 'blame a.txt', 'ls-files', 'grep x']) {
    const [subcommand = '', ...words] = command.split(' ')
    expect(findRepositoryProgram(facts, subcommand, words)).toBeNull()
  }
})

testWithGit('a repository with a setting of unknown effect is not analysed', async () => {
  runBash(`${INIT_SCRIPT}; git config core.new x`)
  expect(await findProgramRunByStatus()).toContain('core.new')
  runBash('git config --unset core.new; git config diff.submodule log')
  expect(await findProgramRunByStatus()).toContain('diff.submodule')
})

testWithGit('files that settings of a repository name count as read by every git command in it', async () => {
  runBash(
    `${INIT_SCRIPT}; git config mailmap.file map; git config blame.ignoreRevsFile ~/revs; git config diff.orderFile /x`,
  )
  runBash('git config core.excludesFile ""; git config core.attributesFile /dev/null; mkdir src')
  const cwd = join(repository, 'src')
  const facts = await probe().facts(cwd)
  const namedFiles = [join(repository, 'map'), join(cwd, 'map'), '/nonexistent/revs', '/x']
  expect(facts).toMatchObject({ problem: null, namedFiles })
  expect(analyseCommand('git log', { cwd, repositories: new Map([[cwd, facts]]) }).commands[0]?.reads).toEqual(
    namedFiles,
  )
  runBash('git config mailmap.file "%(prefix)/map"')
  expect(await findProgramRunByStatus()).toContain('mailmap.file')
})

testWithGit(
  'folders of tracked files that became links count as read by every git command in the repository',
  async () => {
    runBash(
      `${INIT_SCRIPT}; mkdir -p src/deep lib; echo a > src/deep/a; echo a > lib/a; git add .; git commit -qm more`,
    )
    expect(await probe().facts(repository)).toMatchObject({
      problem: null,
      namedFiles: [],
      hasUnexaminedFolders: false,
    })
    const cached = probe()
    await cached.facts(repository)
    runBash('mkdir ../other; echo SECRET > ../other/a; rm -r src/deep; ln -s ../../other src/deep')
    expect(execFileSync('git', ['grep', 'SECRET'], { cwd: repository, encoding: 'utf8' })).toContain('src/deep/a')
    expect(await cached.facts(repository)).toMatchObject({ problem: null, namedFiles: [join(repository, 'src/deep')] })
  },
)

const PIPE_SETUPS: readonly (readonly [file: string, script: string])[] = [
  ['.gitignore', 'mkfifo .gitignore'],
  ['src/.gitattributes', 'mkfifo src/.gitattributes'],
  ['.mailmap', 'mkfifo .mailmap'],
  ['.gitmodules', 'mkfifo .gitmodules'],
  ['src/.gitignore', 'mkfifo ../pipe; ln -s ../../pipe src/.gitignore'],
  ['new/deep/.gitignore', 'mkdir -p new/deep; mkfifo new/deep/.gitignore'],
  ['src/out/.gitignore', 'echo /out > .gitignore; mkdir src/out; mkfifo src/out/.gitignore'],
  ['out/.gitignore', 'printf "out/\\n!o*\\n" > .gitignore; mkdir out; mkfifo out/.gitignore'],
  ['out/deep/.gitattributes', 'echo out/ > .gitignore; mkdir -p out/deep; mkfifo out/deep/.gitattributes'],
  ['nest/.git', 'mkdir nest; mkfifo nest/.git'],
  ['nest/.git/HEAD', 'git init -q nest; rm nest/.git/HEAD; mkfifo nest/.git/HEAD'],
  [
    'nest/.git/refs/heads/logs/x',
    'git init -q nest; mkdir nest/.git/refs/heads/logs; mkfifo nest/.git/refs/heads/logs/x',
  ],
  ['.git/hooks/x', 'mkdir -p .git/hooks; mkfifo .git/hooks/x'],
  ['.git/lfs/deep/x', 'mkdir -p .git/lfs/deep; mkfifo .git/lfs/deep/x'],
  [
    '../other/refs/heads/x',
    'git init -q ../other --bare; mkdir n; echo "gitdir: ../../other" > n/.git; mkfifo ../other/refs/heads/x',
  ],
]
for (const [file, script] of PIPE_SETUPS)
  testWithGit(`git needs approval if ${file}, which git opens by itself, is a pipe`, async () => {
    runBash(`${INIT_SCRIPT}; mkdir src; echo a > src/a; git add .; git commit -qm more`)
    const cached = probe()
    expect(await cached.facts(repository)).toMatchObject({ problem: null })

    runBash(script)

    const problem = `${join(repository, file)}, which is not an ordinary file`
    expect(await cached.facts(repository)).toMatchObject({ problem })
  })

testWithGit(
  'git needs approval if HEAD of a repository inside the working tree leads to another part of its folder',
  async () => {
    runBash(`${INIT_SCRIPT}; git init -q nest; mkdir -p nest/.git/hooks; mkfifo nest/.git/hooks/x`)
    expect(await probe().facts(repository)).toMatchObject({ problem: null })
    runBash('echo "ref: refs/heads/y" > nest/.git/HEAD; echo "ref: hooks/x" > nest/.git/refs/heads/y')
    expect(await probe().facts(repository)).toMatchObject({
      problem: expect.stringContaining('nest/.git/refs/heads/y'),
    })
    runBash('printf "ref:%5000s" refs/heads/z > nest/.git/refs/heads/y')
    expect(await probe().facts(repository)).toMatchObject({
      problem: expect.stringContaining('nest/.git/refs/heads/y'),
    })
  },
)

testWithGit('ignored folders and ordinary repositories inside a working tree need no approval', async () => {
  runBash(`${INIT_SCRIPT}; echo out/ > .gitignore; mkdir -p out src/out; mkfifo out/.gitignore src/out/.gitignore`)
  runBash('git init -q nest; git worktree add -q tree; ln -s missing nest/.gitignore; mkdir .mailmap')
  expect(await probe().facts(repository)).toMatchObject({ problem: null, hasUnexaminedFolders: false })
})

testWithGit('a link to a folder outside counts as read by commands that compare older commits', async () => {
  runBash(`${INIT_SCRIPT}; mkdir old src; echo a > old/x; echo a > src/x; git add .; git commit -qm more`)
  runBash('git rm -rq old; git commit -qm removed; ln -s src inside')
  const cached = probe()
  expect(await cached.facts(repository)).toMatchObject({ problem: null, foreignLinks: [] })
  runBash(
    'mkdir ../other; echo "* SECRET!" > ../other/.gitattributes; ln -s ../other old; ln -s ../../other src/linked',
  )
  expect(execFileSync('bash', ['-c', 'git log -p -2 2>&1'], { cwd: repository, encoding: 'utf8' })).toContain('SECRET')

  const facts = await cached.facts(repository)
  const links = [join(repository, 'old'), join(repository, 'src/linked')]
  expect(facts).toMatchObject({ problem: null, namedFiles: [], foreignLinks: links })
  const readsOf = (command: string) =>
    analyseCommand(command, { cwd: repository, repositories: new Map([[repository, facts]]) }).commands[0]?.reads
  const comparisons = [
    'log -p -2',
    'log --stat -2',
    'log --follow a.txt',
    'show HEAD~1',
    'diff HEAD~1 HEAD',
    'diff --cached',
  ]
  for (const command of [...comparisons, 'grep x HEAD~1', 'blame a.txt', 'stash show -p'])
    expect([command, readsOf(`git ${command}`)]).toEqual([command, expect.arrayContaining(links)])
  for (const command of ['status', 'log --oneline -5', 'diff', 'diff --stat', 'branch', 'grep x'])
    expect([command, readsOf(`git ${command}`)]).toEqual([command, expect.not.arrayContaining(links)])
})

testWithGit('a symbolic link to a repository is followed again after it has changed', async () => {
  runBash(`${INIT_SCRIPT}; git config core.fsmonitor x`)
  cpSync(repository, join(folder, 'copy'), { recursive: true })
  runBash('git config --unset core.fsmonitor', join(folder, 'copy'))
  const link = join(folder, 'link')
  const cached = probe()
  symlinkSync(join(folder, 'copy'), link)
  const factsBefore = await cached.facts(link)
  rmSync(link)
  symlinkSync(repository, link)
  expect(await cached.facts(link)).not.toEqual(factsBefore)
})
