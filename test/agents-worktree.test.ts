import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { DEFAULT_SANDBOX_SETTINGS } from '../src/contract/host/sandbox-settings.js'
import { GIT_TEST_ENVIRONMENT } from '../src/testing/files/git-fixture.js'
import { testWithProgram } from '../src/testing/test-with-program.js'
import { createAgentCall, createTemporaryFolder, listResults, startAgents, toAgentAnswer } from './agent-fixture.js'

const test = testWithProgram('git')
const testWithBubblewrap = testWithProgram('bwrap', 'bubblewrap')

function runGit(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd, env: GIT_TEST_ENVIRONMENT, encoding: 'utf8', stdio: 'pipe' })
}

async function createRepository(): Promise<string> {
  const folder = await createTemporaryFolder()
  runGit(folder, 'init', '-q', '-b', 'main', '.')
  await mkdir(join(folder, 'src'))
  await writeFile(join(folder, 'src', 'a.txt'), 'one\n')
  await writeFile(join(folder, '.gitignore'), 'built/\n')
  runGit(folder, 'add', '-A')
  runGit(folder, 'commit', '-qm', 'first')
  return folder
}

function listWorktrees(folder: string): readonly string[] {
  return runGit(folder, 'worktree', 'list', '--porcelain').match(/^worktree .*$/gm) ?? []
}

const ACCEPT_EDITS = { permissions: { mode: 'acceptEdits' as const } }

describe('an agent in a worktree', () => {
  test('changes its copy but not the project; the copy is kept, and the answer says where', async () => {
    const cwd = await createRepository()
    const { runAgent } = await startAgents({
      ...ACCEPT_EDITS,
      cwd,
      scripts: {
        'Write b': [{ calls: [{ name: 'Write', input: { file_path: 'src/b.txt', content: 'two\n' } }] }, 'Written.'],
      },
    })

    const { text } = await runAgent({ prompt: 'Write b', isolation: 'worktree' })

    const [, path = '', branch = ''] = /It left changes in (\S+), on the branch (\S+)\./.exec(text) ?? []
    expect(readFileSync(join(path, 'src/b.txt'), 'utf8')).toBe('two\n')
    expect(path).toContain(join(cwd, '.haft', 'worktrees'))
    expect(runGit(path, 'branch', '--show-current').trim()).toBe(branch)
    expect(existsSync(join(cwd, 'src/b.txt'))).toBe(false)
    // No change is visible in the project.
    expect(runGit(cwd, 'status', '--porcelain')).toBe('')
  })

  test('is refused if creating the worktree would run a program that the repository configures', async () => {
    const cwd = await createRepository()
    await writeFile(join(cwd, '.git', 'info', 'attributes'), '*.txt filter=own\n')
    runGit(cwd, 'config', 'filter.own.smudge', `touch ${join(cwd, 'ran')}; cat`)
    const { runAgent } = await startAgents({ cwd, scripts: { 'Read a': ['Read.'] } })

    const { text } = await runAgent({ prompt: 'Read a', isolation: 'worktree' })

    expect(text).toContain('filter.own.smudge')
    expect(existsSync(join(cwd, 'ran'))).toBe(false)
  })

  test('is refused if the folder for worktrees is behind a symbolic link', async () => {
    const cwd = await createRepository()
    const otherFolder = await createTemporaryFolder()
    await mkdir(join(cwd, '.haft'))
    await symlink(otherFolder, join(cwd, '.haft', 'worktrees'))
    const { runAgent } = await startAgents({ cwd, scripts: { 'Read a': ['Read.'] } })

    const { text } = await runAgent({ prompt: 'Read a', isolation: 'worktree' })

    expect(text).toContain('is behind a symbolic link')
    expect(await readdir(otherFolder)).toEqual([])
  })

  for (const linkedName of ['info', 'info/exclude']) {
    test(`is refused if it would change a file of the user through a link: .git/${linkedName}`, async () => {
      const cwd = await createRepository()
      const otherFolder = await createTemporaryFolder()
      const target = linkedName === 'info' ? otherFolder : join(otherFolder, 'exclude')
      await writeFile(join(otherFolder, 'exclude'), 'of the user\n')
      await rm(join(cwd, '.git', linkedName), { recursive: true })
      await symlink(target, join(cwd, '.git', linkedName))
      const { runAgent } = await startAgents({ cwd, scripts: { 'Read a': ['Read.'] } })

      const { text } = await runAgent({ prompt: 'Read a', isolation: 'worktree' })

      expect(text).toContain('symbolic link')
      expect(readFileSync(join(otherFolder, 'exclude'), 'utf8')).toBe('of the user\n')
    })
  }

  test('is refused if the list of excluded files is a pipe', async () => {
    const cwd = await createRepository()
    await rm(join(cwd, '.git/info/exclude'))
    execFileSync('mkfifo', [join(cwd, '.git/info/exclude')])
    const { runAgent } = await startAgents({ cwd, scripts: { 'Read a': ['Read.'] } })

    const { text } = await runAgent({ prompt: 'Read a', isolation: 'worktree' })

    expect(text).toContain('is not a regular file')
  })

  test('leaves nothing behind if it changed nothing', async () => {
    const cwd = await createRepository()
    const { runAgent } = await startAgents({
      cwd,
      scripts: { 'Read a': [{ calls: [{ name: 'Read', input: { file_path: 'src/a.txt' } }] }, 'Read.'] },
    })

    const { text } = await runAgent({ prompt: 'Read a', isolation: 'worktree' })

    expect(text).toMatch(/^Read\.\n\n\[general-purpose/)
    expect(listWorktrees(cwd)).toHaveLength(1)
    expect(await readdir(join(cwd, '.haft', 'worktrees'))).toEqual([])
    expect(runGit(cwd, 'branch', '--list', 'haft/*')).toBe('')
  })

  test('keeps its branch if it committed, even with a clean working tree', async () => {
    const cwd = await createRepository()
    const { runAgent } = await startAgents({
      permissions: { mode: 'bypassPermissions' },
      cwd,
      scripts: {
        'Commit it': [
          {
            calls: [
              { name: 'Bash', input: { command: 'echo two > src/b.txt && git add -A && git commit -qm second' } },
            ],
          },
          'Committed.',
        ],
      },
      policy: { isSandboxed: true },
      machine: { env: { ...GIT_TEST_ENVIRONMENT } },
    })

    const { text } = await runAgent({ prompt: 'Commit it', isolation: 'worktree' })

    const [, branch = ''] = /on the branch (\S+)\./.exec(text) ?? []
    expect(runGit(cwd, 'log', '--format=%s', branch)).toBe('second\nfirst\n')
    expect(runGit(cwd, 'log', '--format=%s', 'main')).toBe('first\n')
  })

  testWithBubblewrap('can commit with confined commands, which can write only to its copy', async () => {
    const cwd = await createRepository()
    const { runAgent, requests } = await startAgents({
      permissions: { allow: ['Bash'] },
      cwd,
      scripts: {
        'Commit it': [
          {
            calls: [
              { name: 'Bash', input: { command: 'echo two > src/b.txt && git add -A && git commit -qm second' } },
            ],
          },
          { calls: [{ name: 'Bash', input: { command: `sh -c 'echo x > ${cwd}/src/escaped'` } }] },
          'Committed.',
        ],
      },
      machine: { sandbox: { ...DEFAULT_SANDBOX_SETTINGS, enabled: true }, env: { ...GIT_TEST_ENVIRONMENT } },
    })

    const { text } = await runAgent({ prompt: 'Commit it', isolation: 'worktree' })

    const [, branch = ''] = /on the branch (\S+)\./.exec(text) ?? []
    expect(listResults(requests[1] as never)[0]).not.toMatch(/fatal|error/i)
    expect(runGit(cwd, 'log', '--format=%s', branch)).toBe('second\nfirst\n')
    expect(existsSync(join(cwd, 'src', 'escaped'))).toBe(false)
  })

  test('keeps files that git ignores', async () => {
    const cwd = await createRepository()
    const { runAgent } = await startAgents({
      ...ACCEPT_EDITS,
      cwd,
      scripts: {
        'Build it': [{ calls: [{ name: 'Write', input: { file_path: 'built/x', content: 'built' } }] }, 'Built.'],
      },
    })

    const { text } = await runAgent({ prompt: 'Build it', isolation: 'worktree' })

    const [, path = ''] = /It left changes in (\S+),/.exec(text) ?? []
    expect(readFileSync(join(path, 'built/x'), 'utf8')).toBe('built')
  })

  test('cannot write to the project or read files there that rules deny', async () => {
    const cwd = await createRepository()
    await mkdir(join(cwd, 'secret'))
    await writeFile(join(cwd, 'secret', 'key'), 'the key')
    const outsidePath = join(cwd, 'src', 'a.txt')
    const { runAgent, requests } = await startAgents({
      permissions: { mode: 'bypassPermissions', deny: ['Read(secret/**)'] },
      cwd,
      scripts: {
        'Break out': [{ calls: [{ name: 'Read', input: { file_path: join(cwd, 'secret', 'key') } }] }, 'No.'],
      },
      policy: { isSandboxed: true },
    })
    const editingAgents = await startAgents({
      ...ACCEPT_EDITS,
      cwd,
      scripts: {
        'Break out': [
          {
            calls: [
              { name: 'Write', input: { file_path: join(cwd, 'new'), content: 'x' } },
              { name: 'Bash', input: { command: `echo two > ${outsidePath}` } },
            ],
          },
          'No.',
        ],
      },
    })

    await runAgent({ prompt: 'Break out', isolation: 'worktree' })
    await editingAgents.runAgent({ prompt: 'Break out', isolation: 'worktree' })

    expect(listResults(requests[1] as never)[0]).toMatch(/Read\(.*secret.*\).*denies/)
    const [write, bash] = listResults(editingAgents.requests[1] as never)
    expect(write).toContain('outside the working directories')
    expect(bash).toMatch(/needs approval/)
    expect(readFileSync(outsidePath, 'utf8')).toBe('one\n')
    expect(existsSync(join(cwd, 'new'))).toBe(false)
  })

  test('starts in the folder of the copy that corresponds to the working directory', async () => {
    const root = await createRepository()
    const { runAgent, requests } = await startAgents({
      cwd: join(root, 'src'),
      scripts: { Where: [{ calls: [{ name: 'Bash', input: { command: 'pwd' } }] }, 'Here.'] },
    })

    await runAgent({ prompt: 'Where', isolation: 'worktree' })

    expect(listResults(requests[1] as never)[0]).toMatch(/\.haft\/worktrees\/[^/]+\/src$/)
  })

  test('runs in parallel with others, each in its own copy', async () => {
    const cwd = await createRepository()
    const write = (content: string) => [
      { calls: [{ name: 'Write', input: { file_path: 'src/b.txt', content } }] },
      'Written.',
    ]
    const { runtime } = await startAgents({
      ...ACCEPT_EDITS,
      cwd,
      scripts: { 'Write one': write('one'), 'Write two': write('two'), 'Write three': write('three') },
    })
    await runtime.definitions()

    const results = await runtime.run(
      ['one', 'two', 'three'].map((word) => createAgentCall({ prompt: `Write ${word}`, isolation: 'worktree' }, word)),
    ).results

    const texts = results.map((result) => {
      expect(toAgentAnswer(result).text).toContain('It left changes in')
      const [, path = ''] = /It left changes in (\S+),/.exec(toAgentAnswer(result).text) ?? []
      return readFileSync(join(path, 'src/b.txt'), 'utf8')
    })
    expect(texts).toEqual(['one', 'two', 'three'])
  })

  test('reports where its work is if it fails', async () => {
    const cwd = await createRepository()
    const { runAgent } = await startAgents({
      ...ACCEPT_EDITS,
      cwd,
      scripts: {
        'Write b': [
          { calls: [{ name: 'Write', input: { file_path: 'src/b.txt', content: 'two\n' } }] },
          { error: { kind: 'unauthorised', message: 'No.' } },
        ],
      },
    })

    const { text, isError } = await runAgent({ prompt: 'Write b', isolation: 'worktree' })

    expect(isError).toBe(true)
    const [, path = ''] = /Its changes are in (\S+),/.exec(text) ?? []
    expect(readFileSync(join(path, 'src/b.txt'), 'utf8')).toBe('two\n')
  })

  test('is refused without a repository, without a commit, or in plan mode', async () => {
    const emptyFolder = await createTemporaryFolder()
    runGit(emptyFolder, 'init', '-q', '.')
    const agentsWithoutRepository = await startAgents({})
    const agentsWithoutCommit = await startAgents({ cwd: emptyFolder })
    const planModeAgents = await startAgents({ cwd: await createRepository(), permissions: { mode: 'plan' } })

    const input = { prompt: 'Do it', isolation: 'worktree' } as const
    expect((await agentsWithoutRepository.runAgent(input)).text).toContain('this folder is not in a git repository')
    expect((await agentsWithoutCommit.runAgent(input)).text).toContain('no commit yet')
    expect((await planModeAgents.runAgent(input)).text).toContain('No worktree is created in plan mode')
  })
})
