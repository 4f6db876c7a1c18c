import { execFileSync } from 'node:child_process'
import { chmodSync, linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import type { SandboxSettings } from '../../contract/host/sandbox-settings.js'
import { testWithProgram } from '../../testing/test-with-program.js'
import type { SandboxOptions } from './backend.js'
import { SandboxFixture } from './fixture-sandbox.js'

const test = testWithProgram('bwrap', 'bubblewrap')

let fixture: SandboxFixture
beforeEach(() => {
  fixture = new SandboxFixture()
})
afterEach(() => fixture.remove())

interface Options {
  readonly reads?: readonly string[]
  readonly settings?: Partial<SandboxSettings>
  readonly sandbox?: Partial<SandboxOptions>
  readonly environment?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** Runs a command as one whose reads are all known. */
function runReader(command: string, { reads = [], settings = {}, sandbox = {}, ...options }: Options = {}) {
  const environment = { HOME: fixture.home, ...options.environment }
  const createdSandbox = fixture.openSandbox(settings, sandbox)
  return fixture.run(createdSandbox, command, { confinement: 'read-only', reads, ...options, environment })
}

function write(path: string, text: string): string {
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text)
  return path
}

const toHomePath = (name: string) => join(fixture.home, name)
const toProjectPath = (name: string) => join(fixture.project, name)

test('a command that may only read sees only the working folders and the toolchain', async () => {
  write(toProjectPath('file'), 'INSIDE\n')
  write(toHomePath('.ssh/id_rsa'), 'SECRET')
  write(toHomePath('.config/token'), 'SECRET')
  write(join(fixture.root, 'other/file'), 'SECRET')
  symlinkSync(toHomePath('.ssh/id_rsa'), toProjectPath('link'))

  const insideRun = await runReader('cat file')
  const attempts = ['cat ~/.ssh/id_rsa', 'cat link', 'ls ~', 'ls ..', 'cat ../other/file', 'ls ~/.config', 'ls /run']
  for (const attempt of [
    ...attempts,
    `cat /proc/self/root${toHomePath('.ssh/id_rsa')}`,
    'ls /tmp/*',
    'cat /etc/shadow',
  ]) {
    const run = await runReader(attempt)
    expect(run.output, attempt).toMatch(/No such file or directory|Permission denied/)
    expect(run.output, attempt).not.toContain('SECRET')
    expect(run.exitCode, attempt).not.toBe(0)
  }

  expect(insideRun).toMatchObject({ exitCode: 0, output: 'INSIDE\n' })
})

test('a failed read of a file that the sandbox does not show is explained', async () => {
  const secret = write(toHomePath('.ssh/id_rsa'), 'SECRET')

  expect((await runReader(`cat ${secret}`)).refusals[0]).toContain(`The sandbox does not show ${secret}: `)
  expect((await runReader('cat missing')).refusals).toEqual([])
})

test('a command that may only read can neither write, nor connect, nor reach other processes', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  const attempts: [command: string, answer: RegExp][] = [
    ['echo x > file', /Read-only file system/],
    ['echo x > ~/file', /Read-only file system|Permission denied/],
    ['echo x > /file', /Read-only file system/],
    ['mkdir ../folder', /Read-only file system|Permission denied/],
    [`echo x > /dev/tcp/127.0.0.1/${port}`, /Connection refused/],
    [`kill -0 ${process.pid}`, /No such process/],
    [`cat /proc/${process.pid}/environ`, /No such file or directory/],
    // The devices are those of the machine, so the command sets the mode that they already have, in case it succeeds.
    ['chmod 666 /dev/null', /Operation not permitted/],
    ['touch -c -d 2020-01-01 /dev/zero', /Operation not permitted|Permission denied/],
    ['echo 1 > /proc/sys/kernel/core_pattern', /Read-only file system|Permission denied/],
  ]
  for (const [command, answer] of attempts) {
    const run = await runReader(command)
    expect(run.output, command).toMatch(answer)
    expect(run.exitCode, command).not.toBe(0)
  }
  server.close()
  expect(readdirSync(fixture.project)).toEqual([])
})

test('paths that the command was allowed to read are visible, and nothing beside them', async () => {
  const notes = write(toHomePath('notes/today.txt'), 'NOTES')
  const log = write(join(fixture.root, 'logs/a.log'), 'LOG')
  write(join(fixture.root, 'logs/b.log'), 'OTHER')

  const run = await runReader(`cat ${notes} ${log}; cat ${fixture.root}/logs/b.log`, {
    reads: [toHomePath('notes'), log],
  })
  const resultWithSetting = await runReader(`cat ${log}`, { settings: { allowRead: [log] } })

  expect(run.output).toMatch(/^NOTESLOG.*No such file/s)
  expect(resultWithSetting.output).toBe('LOG')
})

test('a command that may read /proc and /dev sees those of the sandbox, not of the machine', async () => {
  const run = await runReader(`cat /proc/${process.pid}/environ /dev/mem`, {
    reads: [`/proc/${process.pid}/environ`, '/dev/mem', '/proc'],
  })

  expect(run.output).toMatch(/No such file.*No such file/s)
})

test('files that rules or settings deny stay hidden, in working folders and in folders that may be read', async () => {
  const [deniedPath, hidden] = [write(toProjectPath('.env'), 'SECRET'), write(toProjectPath('keys/one'), 'SECRET')]
  const key = write(toHomePath('notes/key'), 'SECRET')
  write(toProjectPath('file'), 'INSIDE')
  const sandbox = {
    deniedReads: () => ({
      paths: [deniedPath, key, toProjectPath('missing')].map((path) => ({ path, isAsked: false })),
      patterns: [],
    }),
  }

  const run = await runReader(`cat file .env keys/one ${key}; grep -r SECRET .`, {
    ...{ sandbox, settings: { denyRead: [join(hidden, '..')] } },
    reads: [toHomePath('notes')],
  })
  const hiddenFolderRun = await runReader(`cat ${key}`, { reads: [key], settings: { denyRead: [toHomePath('notes')] } })

  expect(run.output).toMatch(/^INSIDE/)
  expect(run.output + hiddenFolderRun.output).not.toContain('SECRET')
})

test('a working folder that is named through a link keeps its name', async () => {
  write(toProjectPath('file'), 'INSIDE')
  const link = join(fixture.root, 'alias')
  symlinkSync('project', link)

  const run = await runReader('pwd; cat file', {
    sandbox: { workingFolders: () => [link] },
    cwd: link,
    environment: { PWD: link },
  })

  expect(run).toMatchObject({ exitCode: 0, output: `${link}\nINSIDE` })
})

test('programs in folders of PATH run, with the code beside them, and the rest of their parent stays hidden', async () => {
  const nvm = toHomePath('.nvm/versions/node/v22/bin')
  write(join(nvm, '../lib/node_modules/tool/cli.sh'), '#!/bin/sh\necho from-nvm\n')
  chmodSync(join(nvm, '../lib/node_modules/tool/cli.sh'), 0o755)
  mkdirSync(nvm, { recursive: true })
  symlinkSync('../lib/node_modules/tool/cli.sh', join(nvm, 'tool'))
  const cargoFolder = toHomePath('.cargo/bin')
  write(join(cargoFolder, 'crab'), '#!/bin/sh\necho from-cargo\n')
  chmodSync(join(cargoFolder, 'crab'), 0o755)
  write(toHomePath('.cargo/credentials.toml'), 'SECRET')
  const searchPath = `${nvm}:${cargoFolder}:${fixture.home}:relative:${process.env.PATH}`

  const run = await runReader('tool; crab; cat ~/.cargo/credentials.toml; ls ~', {
    sandbox: { searchPath },
    environment: { PATH: searchPath },
  })

  expect(run.output).toMatch(/^from-nvm\nfrom-cargo\n.*No such file.*Permission denied/s)
})

test('everyday read-only commands work in the sandbox for reading', async () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=me', '-c', 'user.email=me@example.com', ...args], { cwd: fixture.project })
  git('init', '-q')
  write(toProjectPath('src/a.ts'), 'export const a = 1\n')
  write(toProjectPath('package.json'), '{"name":"x"}')
  git('add', '.')
  git('commit', '-qm', 'first')
  write(toProjectPath('src/b.ts'), 'export const b = 1\n')
  const commands: [command: string, output: RegExp][] = [
    ['git log --format=%s', /^first\n$/],
    ['git status --short', /^\?\? src\/b.ts\n$/],
    ['git diff HEAD --stat', /^$/],
    ['grep -rn export src | sort | wc -l', /^\s*2\n$/],
    ['find . -name "*.ts" -not -path "./.git/*" | sort', /a\.ts\n.*b\.ts\n$/],
    ['node --version', /^v\d+/],
    ['python3 --version', /^Python 3/],
    ['sort <<< "b"; cat <(echo c); date +%Y; id -u; nproc; uname -s', /^b\nc\n\d{4}\n\d+\n\d+\nLinux\n$/],
    ['f=$(mktemp) && echo x > $f && cat $f', /^x\n$/],
    ['locale; getent passwd root; cat /etc/os-release', /root:.*NAME=/s],
    ['dpkg -s bash | head -1', /Package: bash|command not found/],
  ]
  for (const [command, output] of commands) {
    const run = await runReader(command)
    expect(run.output, command).toMatch(output)
    expect(run.exitCode, command).toBe(0)
  }
})

test('git works in the sandbox for reading, in a folder of a repository and in a linked worktree', async () => {
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=me', '-c', 'user.email=me@example.com', ...args], { cwd })
  const mainFolder = fixture.makeFolder('main')
  git(mainFolder, 'init', '-q')
  write(join(mainFolder, 'packages/one/file'), 'x')
  git(mainFolder, 'add', '.')
  git(mainFolder, 'commit', '-qm', 'first')
  git(mainFolder, 'worktree', 'add', '-q', join(fixture.root, 'tree'))
  const command = 'git log --format=%s && git status --short'

  for (const cwd of [join(mainFolder, 'packages/one'), join(fixture.root, 'tree')]) {
    const run = await runReader(command, { cwd, sandbox: { workingFolders: () => [cwd] } })
    expect(run, cwd).toMatchObject({ exitCode: 0, output: 'first\n' })
  }
})

test('a .git file shows another repository only if that one names the folder as its worktree', async () => {
  const otherFolder = fixture.makeFolder('other')
  execFileSync('git', ['init', '-q', otherFolder])
  write(join(otherFolder, '.git/description'), 'SECRET')
  write(toProjectPath('.git'), `gitdir: ${otherFolder}/.git\n`)

  expect((await runReader(`cat ${otherFolder}/.git/description`)).output).toMatch(/No such file/)
})

test('a .git file of the project does not show folders outside it', async () => {
  const secretFile = join(fixture.root, 'secret')
  write(secretFile, 'SECRET')
  const claimWorktree = (gitFolder: string, repositoryFolder: string) => {
    write(toProjectPath('.git'), `gitdir: ${gitFolder}\n`)
    write(join(gitFolder, 'gitdir'), `${toProjectPath('.git')}\n`)
    write(join(gitFolder, 'commondir'), `${repositoryFolder}\n`)
  }
  const readSecret = async () => (await runReader(`cat ${secretFile}`)).output

  // A hard link to a symbolic link is the same file, but leads elsewhere.
  fixture.makeFolder('project/links')
  symlinkSync('..', toProjectPath('parent'))
  linkSync(toProjectPath('parent'), toProjectPath('links/parent'))
  claimWorktree(toProjectPath('links/parent/worktrees/one'), toProjectPath('parent'))
  expect(await readSecret()).toMatch(/No such file/)

  claimWorktree(toProjectPath('worktrees/one'), toProjectPath('parent'))
  expect(await readSecret()).toMatch(/No such file/)

  claimWorktree(fixture.makeFolder('project'), dirname(fixture.root))
  expect(await readSecret()).toMatch(/No such file/)
})

test('the configuration of git in the home folder is visible unless it contains credentials', async () => {
  const readGitConfig = () =>
    runReader('git config --global --get user.name; git config --global --get http.extraHeader')
  write(toHomePath('.gitconfig'), '[user]\n\tname = Me\n[alias]\n\tst = status\n')
  expect((await readGitConfig()).output).toBe('Me\n')

  for (const secret of ['[http]\n\textraHeader = SECRET', '[url "https://me:SECRET@host/"]\n\tinsteadOf = x:', '[x']) {
    write(toHomePath('.gitconfig'), `[user]\n\tname = Me\n${secret}\n`)
    expect((await readGitConfig()).output).toBe('')
  }
})

test('other files of a home folder that is a repository stay hidden', async () => {
  execFileSync('git', ['init', '-q', fixture.home])
  write(toHomePath('.ssh/id'), 'SECRET')
  const project = fixture.makeFolder('home/project')

  const run = await runReader('git status --short; cat ../.ssh/id', {
    cwd: project,
    sandbox: { workingFolders: () => [project] },
  })

  expect(run.output).toMatch(/No such file/)
})

test('a command that may read the root folder sees all files', async () => {
  const run = await runReader(`ls ${fixture.root}`, { reads: ['/'] })

  expect(run).toMatchObject({ exitCode: 0, output: expect.stringContaining('project') })
})

test('a list of attributes in the home folder is shown only if the settings of the user name it', async () => {
  const list = async () => (await runReader('cat ~/.gitattributes')).output
  write(toHomePath('.gitattributes'), 'LIST')
  write(toHomePath('.gitconfig'), '[user]\n\tname = Me\n')
  expect(await list()).not.toContain('LIST')
  write(toHomePath('.gitconfig'), '[core]\n\tattributesFile = ~/.gitattributes\n')
  expect(await list()).toContain('LIST')
})
