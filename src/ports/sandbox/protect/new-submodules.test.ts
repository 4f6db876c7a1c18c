import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { testWithProgram } from '../../../testing/test-with-program.js'
import { SandboxFixture } from '../fixture-sandbox.js'

const test = testWithProgram('bwrap', 'bubblewrap')

let fixture: SandboxFixture
let ran: string
beforeEach(() => {
  fixture = new SandboxFixture()
  ran = join(fixture.root, 'ran')
})
afterEach(() => fixture.remove())

const identity = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' }

/** Runs a script outside the sandbox, as the user does. */
function runAsUser(script: string, cwd: string): void {
  const env = { ...process.env, ...identity, HOME: fixture.home, GIT_CONFIG_NOSYSTEM: '1' }
  execFileSync('bash', ['-ec', script], { cwd, env, stdio: 'pipe' })
}

const HASH = '1'.repeat(40)
/** A repository with a link to a submodule that was never fetched. */
const createRepository = (link: string) =>
  `git init -q .; echo x > file; git add file; git update-index --add --cacheinfo 160000,${HASH},${link}; git commit -qm first`
/** A repository with a commit, whose configuration makes git run a program that leaves a trace. */
const createHostileRepository = (folder: string) =>
  `mkdir -p ${folder}; git init -q ${folder}; git -C ${folder} commit -q --allow-empty -m x; ` +
  `printf '[core]\\n\\tfsmonitor = "touch ${ran}; false"\\n' >> ${folder}/.git/config`

/**
 * Runs commands one after the other in the sandbox of a folder, and then `git status` as the user. Returns whether
 * `git status` ran the program of the hostile repository.
 */
async function runsProgramAfter(commands: readonly string[], folder = fixture.project): Promise<boolean> {
  const sandbox = fixture.openSandbox({}, { workingFolders: () => [folder] })
  const environment = { ...identity, HOME: fixture.home }
  for (const command of commands) await fixture.run(sandbox, command, { cwd: folder, environment })
  runAsUser('git status', folder)
  return existsSync(ran)
}

test('git status runs the program of a linked repository if no sandbox prevents it', () => {
  runAsUser(`${createRepository('sub')}; ${createHostileRepository('sub')}; git status`, fixture.project)

  expect(existsSync(ran)).toBe(true)
})

test('a repository that an earlier command made cannot run programs when a later one adds it to the index', async () => {
  runAsUser(createRepository('sub'), fixture.project)

  expect(await runsProgramAfter([createHostileRepository('new'), 'git add new'])).toBe(false)
  expect(existsSync(join(fixture.project, 'new/.git/config.disabled'))).toBe(true)
})

test('a repository that an earlier command made cannot take the place of a submodule by a .git file', async () => {
  runAsUser(createRepository('sub'), fixture.project)

  expect(
    await runsProgramAfter([createHostileRepository('new'), "mkdir -p sub; echo 'gitdir: ../new/.git' > sub/.git"]),
  ).toBe(false)
})

test('a repository in a folder that is not searched cannot take the place of a submodule', async () => {
  runAsUser(createRepository('target/sub'), fixture.project)

  expect(await runsProgramAfter([createHostileRepository('target/sub')])).toBe(false)
})

test('a new repository cannot run programs if the index of a linked worktree links to it', async () => {
  runAsUser(`${createRepository('sub')}; git worktree add -q tree`, fixture.project)
  await runsProgramAfter([
    createHostileRepository('tree/sub'),
    `${createHostileRepository('tree/new')}; git -C tree add new`,
  ])

  runAsUser('git -C tree status', fixture.project)
  expect(existsSync(ran)).toBe(false)
})

test('a new repository cannot run programs if the index of a submodule links to it', async () => {
  runAsUser(createRepository('inner'), fixture.makeFolder('library'))
  const add = 'git -c protocol.file.allow=always submodule --quiet add ../library library; git commit -qm second'
  runAsUser(`${createRepository('sub')}; ${add}`, fixture.project)

  expect(await runsProgramAfter([createHostileRepository('library/inner')])).toBe(false)
})

test('a new repository cannot run programs if the working directory is a linked worktree', async () => {
  const tree = join(fixture.root, 'tree')
  runAsUser(`${createRepository('sub')}; git worktree add -q ${tree}`, fixture.project)

  expect(await runsProgramAfter([createHostileRepository('sub')], tree)).toBe(false)
})

test('a new repository cannot run programs if the working directory is a folder inside the repository', async () => {
  runAsUser(createRepository('inner/sub'), fixture.project)
  const inner = fixture.makeFolder('project/inner')

  expect(await runsProgramAfter([createHostileRepository('sub')], inner)).toBe(false)
})

test('a submodule of the user keeps its settings, whatever they are', async () => {
  runAsUser(createRepository('inner'), fixture.makeFolder('library'))
  const add = 'git -c protocol.file.allow=always submodule --quiet add ../library library; git commit -qm second'
  runAsUser(`${createRepository('sub')}; ${add}; git -C library config alias.run '!true'`, fixture.project)
  const config = join(fixture.project, '.git/modules/library/config')
  const text = readFileSync(config, 'utf8')

  await runsProgramAfter([
    'echo y > library/file; git -C library commit -qam next; git add library; git commit -qm third',
  ])
  expect(readFileSync(config, 'utf8')).toBe(text)
})

test('a repository of the user that is not linked keeps its settings', async () => {
  mkdirSync(join(fixture.project, 'notes'))
  runAsUser(`${createRepository('sub')}; git init -q notes; git -C notes config alias.run '!true'`, fixture.project)
  writeFileSync(join(fixture.project, '.gitignore'), 'notes\n')

  await runsProgramAfter(['git add .; git commit -qm next'])
  expect(readFileSync(join(fixture.project, 'notes/.git/config'), 'utf8')).toContain('alias')
})
