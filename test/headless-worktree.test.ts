import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { GIT_TEST_ENVIRONMENT } from '../src/testing/files/git-fixture.js'
import { createHeadlessFixture } from './lib/headless-fixture.js'

const { at, file, writeProgram, run } = createHeadlessFixture()

function runGit(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: at('project'), env: GIT_TEST_ENVIRONMENT, encoding: 'utf8', stdio: 'pipe' })
}

const WORKTREE = '.haft/worktrees/work'

/** Runs a session that enters a worktree and writes a file there. */
async function enterWorktree(): Promise<void> {
  runGit('init', '--quiet')
  runGit('add', 'a.txt')
  runGit('commit', '--quiet', '--message', 'first')
  const { code, stderr } = await runTurns(
    ['Enter', '--session-id', 'moved'],
    `[use('EnterWorktree', { name: 'work' }), use('Write', { file_path: 'b.txt', content: 'beta' }), 'Done.']`,
  )
  const notice = `haft: the session ends in the worktree ${file(WORKTREE)} (haft/work), which is kept\n`
  expect([code, stderr]).toEqual([0, notice])
}

async function runTurns(args: readonly string[], turns: string) {
  const model = await writeProgram(`{ turns: ${turns} }`)
  // Without tool search, the model may call a tool without loading it first.
  const variables = { HAFT_TOOL_SEARCH: 'false' }
  return run(['-p', ...args, '--permission-mode', 'acceptEdits', ...model], { variables })
}

/** Reads a file of the worktree, writes another one, and answers with the results. */
const WORK = `[
  use('Read', { file_path: 'b.txt' }),
  use('Write', { file_path: 'c.txt', content: 'gamma' }),
  (request) => results(request).slice(-2).join('\\n'),
]`

test.each([['--continue'], ['--resume', 'moved']])('%s returns to the worktree of the session', async (...args) => {
  await enterWorktree()

  const { code, stdout } = await runTurns(['Go on', ...args], WORK)

  expect(code).toBe(0)
  expect(stdout).toContain('beta')
  expect(readFileSync(file(`${WORKTREE}/c.txt`), 'utf8')).toBe('gamma')
  expect(existsSync(file('c.txt'))).toBe(false)
})

test('a session whose worktree was removed continues in the project, and says so to the user and the model', async () => {
  await enterWorktree()
  runGit('worktree', 'remove', '--force', WORKTREE)

  const { code, stdout, stderr } = await runTurns(['Go on', '--continue'], `[messagesText]`)

  const message = `the worktree ${file(WORKTREE)} no longer exists`
  expect(code).toBe(0)
  expect(stderr).toContain(message)
  expect(stderr).toContain(`The session continues in ${at('project')}.`)
  expect(stdout).toContain(message)
})

test('a session that has left its worktree continues in the project', async () => {
  await enterWorktree()
  await runTurns(['Leave', '--continue'], `[use('ExitWorktree', { action: 'keep' }), 'Done.']`)

  await runTurns(['Go on', '--continue'], `[use('Write', { file_path: 'c.txt', content: 'gamma' }), 'Done.']`)

  expect(readFileSync(file('c.txt'), 'utf8')).toBe('gamma')
  expect(existsSync(file(`${WORKTREE}/c.txt`))).toBe(false)
})
