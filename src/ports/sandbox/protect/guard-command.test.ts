import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test as vitestTest } from 'vitest'
import { testWithProgram } from '../../../testing/test-with-program.js'
import { SandboxFixture } from '../fixture-sandbox.js'
import { listChangedSettings } from './ordinary-settings.js'

const test = testWithProgram('bwrap', 'bubblewrap')

let fixture: SandboxFixture
let ran: string
beforeEach(() => {
  fixture = new SandboxFixture()
  ran = join(fixture.root, 'ran')
  mkdirSync(join(fixture.project, 'signs'))
})
afterEach(() => fixture.remove())

const identity = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' }

/** Runs git outside the sandbox, as the user does. */
function git(...args: readonly string[]): string {
  const env = { ...process.env, ...identity, HOME: fixture.home, GIT_CONFIG_NOSYSTEM: '1' }
  return execFileSync('git', args, { cwd: fixture.project, env, encoding: 'utf8', stdio: 'pipe' })
}

function put(path: string, content: string): string {
  const file = join(fixture.project, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  return file
}

/** Waits until the command has created a file in the folder `signs`. */
async function waitForSign(name: string): Promise<void> {
  const path = join(fixture.project, 'signs', name)
  // In a process of its own, so that the event loop of the sandbox stays free.
  const waiter = spawn('bash', ['-c', `until [ -e '${path}' ]; do sleep 0.01; done`])
  await once(waiter, 'exit')
}

/** Replaces a file as editors do. */
function replace(path: string, content: string): void {
  writeFileSync(`${path}.tmp`, content)
  renameSync(`${path}.tmp`, path)
}

const repeatForever = (command: string) => `touch signs/started; while :; do ${command}; done`

test('a command ends when another program replaces a file that is hidden from it', async () => {
  const secret = put('.env', 'OLD')
  const sandbox = fixture.openSandbox({ denyRead: [secret] })

  const run = fixture.run(sandbox, repeatForever('sleep 0.1'))
  await waitForSign('started')
  replace(secret, 'NEW')

  expect((await run).refusals[0]).toContain(`Another program replaced ${secret} while the command ran`)
})

test('a command continues when a hidden file is only written to', async () => {
  const secret = put('.env', 'OLD')
  const sandbox = fixture.openSandbox({ denyRead: [secret] })

  const run = fixture.run(sandbox, 'touch signs/started; until [ -e signs/go ]; do sleep 0.01; done; cat .env')
  await waitForSign('started')
  writeFileSync(secret, 'NEW')
  put('signs/go', '')

  expect((await run).output).toBe('cat: .env: Permission denied\n')
})

test("a running command cannot use a configuration that the user's own git uncovers to run programs", async () => {
  git('init', '-q')
  const run = fixture.run(
    fixture.openSandbox(),
    repeatForever(`printf '[core]\\n\\tfsmonitor = "touch ${ran}; false"\\n' >> .git/config`),
  )
  await waitForSign('started')

  git('config', 'user.nick', 'bob')

  const { refusals } = await run
  expect(refusals[0]).toContain('settings that decide what git runs changed (core.fsmonitor)')
  git('status')
  expect(existsSync(ran)).toBe(false)
})

test('a command continues when git changes its own configuration in an ordinary way', async () => {
  git('init', '-q')
  git('config', 'alias.own', '!true')
  git('remote', 'add', 'origin', '../other')

  const run = fixture.run(fixture.openSandbox(), 'touch signs/started; until [ -e signs/go ]; do sleep 0.01; done')
  await waitForSign('started')
  git('config', 'branch.topic.remote', 'origin')
  git('config', 'user.nick', 'bob')
  put('signs/go', '')

  expect(await run).toMatchObject({ exitCode: 0, refusals: [] })
  expect(git('config', 'user.nick')).toBe('bob\n')
})

test('a hostile repository that a command adds is disabled while the command still runs', async () => {
  git('init', '-q')
  git('commit', '-q', '--allow-empty', '-m', 'first')
  const run = fixture.run(
    fixture.openSandbox(),
    `mkdir sub evil; cp -r .git/objects .git/refs .git/HEAD evil
     printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tfsmonitor = "touch ${ran}; false"\\n' > evil/config
     echo 'gitdir: ../evil' > sub/.git
     git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub
     ${repeatForever('sleep 0.1')}`,
  )

  expect((await run).refusals[0]).toContain(`${join(fixture.project, 'evil/config')} was renamed to config.disabled`)
  git('status')
  expect(existsSync(ran)).toBe(false)
})

test('a new repository in the temporary folder is disabled as well', async () => {
  git('init', '-q')
  git('commit', '-q', '--allow-empty', '-m', 'first')

  const { refusals } = await fixture.run(
    fixture.openSandbox(),
    `mkdir sub $TMPDIR/evil; cp -r .git/objects .git/refs .git/HEAD $TMPDIR/evil
     printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tfsmonitor = "touch ${ran}; false"\\n' > $TMPDIR/evil/config
     echo "gitdir: $TMPDIR/evil" > sub/.git
     git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub`,
  )

  git('status')
  expect(existsSync(ran)).toBe(false)
  expect(refusals[0]).toContain('config was renamed to config.disabled')
})

test('a command cannot add programs to a rebase that is in progress', async () => {
  git('init', '-q')
  const todo = put('.git/rebase-merge/git-rebase-todo', 'pick 1234567 first\n')

  const { output } = await fixture.run(
    fixture.openSandbox(),
    `echo "exec touch ${ran}" >> .git/rebase-merge/git-rebase-todo`,
  )

  expect(output).toContain('Read-only file system')
  expect(readFileSync(todo, 'utf8')).toBe('pick 1234567 first\n')
})

for (const { file, content } of [
  { file: 'rebase-merge/git-rebase-todo', content: 'pick 1234567 first\\n  x touch y\\n' },
  { file: 'rebase-merge/strategy', content: '../../evil' },
  { file: 'sequencer/opts', content: '[options]\\n strategy = evil\\n' },
])
  test(`an unfinished rebase that a command leaves is disabled if it would run programs: ${file}`, async () => {
    git('init', '-q')

    const { refusals } = await fixture.run(
      fixture.openSandbox(),
      `mkdir .git/${dirname(file)}; printf '${content}' > .git/${file}`,
    )

    const folder = join(fixture.project, '.git', dirname(file))
    expect([existsSync(folder), existsSync(`${folder}.disabled`)]).toEqual([false, true])
    expect(refusals[0]).toContain(`${folder} was renamed to`)
  })

test('an unfinished rebase with ordinary lines stays as it is', async () => {
  git('init', '-q')

  const { refusals } = await fixture.run(
    fixture.openSandbox(),
    `mkdir .git/rebase-merge; printf '# Rebase\\n\\npick 1234567 first\\nfixup -C 1234567 x\\n' > .git/rebase-merge/git-rebase-todo`,
  )

  expect([existsSync(join(fixture.project, '.git/rebase-merge')), refusals]).toEqual([true, []])
})

vitestTest.each([
  { change: 'an address of a remote', after: '[remote "origin"]\n\turl = evil\n' },
  {
    change: 'a branch that is pushed elsewhere',
    after: '[remote "origin"]\n\turl = good\n[branch "a"]\n\tremote = evil\n',
  },
  { change: 'a setting that is gone', after: '' },
  { change: 'text that git would reject', after: '[remote "origin"]\n\turl = good\n[x\n' },
])('a changed configuration is recognised: $change', ({ after }) => {
  expect(listChangedSettings('[remote "origin"]\n\turl = good\n', after)).not.toEqual([])
})
