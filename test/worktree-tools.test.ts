import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished } from 'vitest'
import { readEnvironment } from '../src/assembly/read-environment.js'
import type { ToolUseBlock } from '../src/contract/messages.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import type { ToolRuntimeOptions } from '../src/runtime/options.js'
import { git, WorktreeFixture, write } from '../src/system/worktrees/fixture-worktrees.js'
import { testWithProgram } from '../src/testing/test-with-program.js'
import { builtInTools } from '../src/tools/index.js'
import { startAgents } from './agent-fixture.js'
import { call, textOf } from './runtime-fixtures.js'

const test = testWithProgram('git')
const fixture = new WorktreeFixture()
afterAll(() => fixture.remove())

type Rules = ToolRuntimeOptions['permissions']

/** A session in a project, with all tools loaded. */
function startSession(
  cwd: string,
  permissions: Rules = { mode: 'acceptEdits' },
  options: Partial<ToolRuntimeOptions> = {},
) {
  const homeDir = join(fixture.folder, 'home')
  mkdirSync(homeDir, { recursive: true })
  const runtime = createToolRuntime({
    ...{ tools: builtInTools, cwd, permissions, machine: { homeDir } },
    ...options,
  })
  onTestFinished(() => runtime.dispose())
  runtime.load(builtInTools.map(({ name }) => name))
  let count = 0
  const runAll = async (...calls: readonly (readonly [name: string, input: unknown])[]) => {
    await runtime.definitions()
    const blocks: ToolUseBlock[] = calls.map(([name, input]) => call(name, input, `call-${count++}`))
    return (await runtime.run(blocks).results).map(textOf)
  }
  const run = async (name: string, input: unknown = {}) => (await runAll([name, input]))[0] ?? ''
  return { runtime, run, runAll }
}

describe('EnterWorktree', () => {
  test('moves the session into a worktree, in which it may write, and no longer into the project', async () => {
    const project = fixture.copy()
    const { runtime, run } = startSession(project)

    const entered = await run('EnterWorktree', { name: 'work' })
    const written = await run('Write', { file_path: 'new.txt', content: 'new\n' })
    const outside = await run('Write', { file_path: join(project, 'new.txt'), content: 'new\n' })
    const place = await run('Bash', { command: 'pwd' })

    const path = join(project, '.haft/worktrees/work')
    expect(entered).toContain(`The session is now in ${path}, a new worktree on the branch haft/work.`)
    expect(runtime.worktree).toEqual({ name: 'work', path, branch: 'haft/work' })
    expect(written).toContain('new.txt')
    expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('new\n')
    expect(outside).toContain('outside the working directories')
    expect(existsSync(join(project, 'new.txt'))).toBe(false)
    expect(place).toBe(path)
    expect(git(project, 'status', '--porcelain')).toBe('')
  })

  test('applies to the later calls of the same message', async () => {
    const project = fixture.copy()
    const { runAll } = startSession(project)

    await runAll(
      ['EnterWorktree', { name: 'work' }],
      ['Write', { file_path: 'new.txt', content: 'new\n' }],
      ['Write', { file_path: join(project, 'other.txt'), content: 'x' }],
    )

    expect(existsSync(join(project, '.haft/worktrees/work/new.txt'))).toBe(true)
    expect(existsSync(join(project, 'new.txt')) || existsSync(join(project, 'other.txt'))).toBe(false)
  })

  test('keeps the rules for paths of the project, and applies them in the worktree', async () => {
    const project = fixture.copy()
    const { run } = startSession(project, { mode: 'bypassPermissions', deny: ['Read(src/**)'] })

    await run('EnterWorktree', { name: 'work' })

    expect(await run('Read', { file_path: 'src/b.txt' })).toContain('denies')
    expect(await run('Read', { file_path: join(project, 'src/b.txt') })).toContain('denies')
    expect(await run('Read', { file_path: 'a.txt' })).toContain('one')
  })

  test('isolates a project that was opened through a symbolic link', async () => {
    const project = fixture.copy()
    const link = join(fixture.folder, 'link-to-project')
    symlinkSync(project, link)
    const { run } = startSession(link)

    await run('EnterWorktree')

    expect(await run('Write', { file_path: join(link, 'new.txt'), content: 'x' })).toContain('outside the working')
    expect(await run('Write', { file_path: join(project, 'new.txt'), content: 'x' })).toContain('outside the working')
  })

  test('starts in the folder that corresponds to the working directory', async () => {
    const project = fixture.copy()
    const { runtime, run } = startSession(project, { mode: 'bypassPermissions' })
    await run('Bash', { command: 'cd src/deep' })

    await run('EnterWorktree', { name: 'work' })
    const inside = runtime.cwd
    await run('ExitWorktree', { action: 'keep' })

    expect(inside).toBe(join(project, '.haft/worktrees/work/src/deep'))
    expect(runtime.cwd).toBe(join(project, 'src/deep'))
  })

  test('is refused in plan mode, in another worktree, without a repository, and for a sub-agent', async () => {
    const project = fixture.copy()
    const outside = join(fixture.folder, 'outside')
    mkdirSync(outside)
    const { runtime, run } = startSession(project)
    await run('EnterWorktree', { name: 'work' })
    const fork = runtime.fork()
    fork.load(['EnterWorktree'])
    await fork.definitions()

    expect(await startSession(project, { mode: 'plan' }).run('EnterWorktree')).toContain('plan mode')
    expect(await run('EnterWorktree', { name: 'other' })).toContain('already in the worktree')
    expect(await startSession(outside).run('EnterWorktree')).toContain(
      'No worktree was entered: this folder is not in a git repository.',
    )
    expect(await startSession(project).run('EnterWorktree', { name: '../x' })).toContain('the name "../x" must have')
    const [result] = await fork.run([call('EnterWorktree', {})]).results
    expect(textOf(result)).toContain('A sub-agent cannot move the session')
  })

  test('is offered only while the flag HAFT_WORKTREE_MODE is on', () => {
    const listTools = (value: string) => {
      const { environment: flags } = readEnvironment({ HAFT_WORKTREE_MODE: value }, process.platform)
      const { runtime } = startSession(fixture.folder, {}, { machine: { flags } })
      return runtime.pool.map(({ name }) => name).filter((name) => name.endsWith('Worktree'))
    }

    expect(listTools('1')).toEqual(['EnterWorktree', 'ExitWorktree'])
    expect(listTools('0')).toEqual([])
  })
})

describe('ExitWorktree', () => {
  test('keeps the worktree, which can be entered again', async () => {
    const project = fixture.copy()
    const { runtime, run } = startSession(project)
    await run('EnterWorktree', { name: 'work' })
    await run('Write', { file_path: 'new.txt', content: 'new\n' })

    const left = await run('ExitWorktree', { action: 'keep' })
    const inProject = await run('Write', { file_path: 'in-project.txt', content: 'x' })
    const again = await run('EnterWorktree', { name: 'work' })

    expect(left).toContain('was kept. The branch haft/work still exists.')
    expect(inProject).toContain('in-project.txt')
    expect(again).toContain('a worktree that already existed')
    expect(runtime.cwd).toBe(join(project, '.haft/worktrees/work'))
    expect(await run('Read', { file_path: 'new.txt' })).toContain('new')
  })

  test('removes a worktree without work, and the session returns to the project', async () => {
    const project = fixture.copy()
    const { runtime, run } = startSession(project)
    await run('EnterWorktree', { name: 'work' })

    const left = await run('ExitWorktree', { action: 'remove' })

    expect(left).toContain(`The working directory is ${project}. The worktree`)
    expect(runtime).toMatchObject({ cwd: project, worktree: undefined })
    expect(existsSync(join(project, '.haft/worktrees/work'))).toBe(false)
    expect(await run('Write', { file_path: 'new.txt', content: 'x' })).toContain('new.txt')
    expect(await run('ExitWorktree', { action: 'keep' })).toContain('nothing to leave')
  })

  test('refuses to remove work, says what it is, and stays in the worktree', async () => {
    const project = fixture.copy()
    const { runtime, run } = startSession(project)
    await run('EnterWorktree', { name: 'work' })
    await run('Write', { file_path: 'new.txt', content: 'new\n' })

    const refusal = await run('ExitWorktree', { action: 'remove' })

    expect(refusal).toContain('was kept:\n- untracked or ignored files: new.txt\n')
    expect(runtime.cwd).toBe(join(project, '.haft/worktrees/work'))
  })

  test('moves work to a folder that it names, after the user has approved', async () => {
    const project = fixture.copy()
    const questions: string[] = []
    const { run } = startSession(
      project,
      { mode: 'bypassPermissions' },
      {
        ask: async ({ message }) => {
          questions.push(message)
          return { behavior: 'allow' }
        },
      },
    )
    await run('EnterWorktree', { name: 'work' })
    await run('Write', { file_path: 'new.txt', content: 'new\n' })

    const left = await run('ExitWorktree', { action: 'remove', discard_changes: true })

    const [, folder = ''] = /Everything that was in the worktree is now in (\S+)\./.exec(left) ?? []
    expect(readFileSync(join(folder, 'files/new.txt'), 'utf8')).toBe('new\n')
    expect(questions).toHaveLength(1)
    expect(git(project, 'status', '--porcelain')).toBe('')
  })

  test('does not move work if there is no user to approve it', async () => {
    const project = fixture.copy()
    const { run } = startSession(project)
    await run('EnterWorktree', { name: 'work' })
    await run('Write', { file_path: 'new.txt', content: 'new\n' })

    expect(await run('ExitWorktree', { action: 'remove', discard_changes: true })).toContain('There is no user to ask')
    expect(existsSync(join(project, '.haft/worktrees/work/new.txt'))).toBe(true)
  })

  test('does not remove a worktree while a command that was started there is running', async () => {
    const project = fixture.copy()
    const { run } = startSession(project, { mode: 'bypassPermissions' })
    const before = await run('Bash', { command: 'sleep 600', run_in_background: true })
    await run('EnterWorktree', { name: 'work' })
    const [task = ''] = /shell-\d+/.exec(await run('Bash', { command: 'sleep 600', run_in_background: true })) ?? []

    const refusal = await run('ExitWorktree', { action: 'remove' })
    await run('TaskStop', { task_id: task })

    expect(before).toContain('shell-1')
    expect(refusal).toContain(`still running (${task})`)
    expect(await run('ExitWorktree', { action: 'remove' })).toContain('was removed')
  })
})

describe('hooks of worktrees', () => {
  const createHooks = (command: string) => [{ hooks: [{ type: 'command' as const, command }] }]
  const PRINT_PATH = `sed 's/.*"worktree_path":"\\([^"]*\\)".*/\\1/'`

  test('set a worktree up and clean it up, so that it can be removed', async () => {
    const project = fixture.copy()
    const { run } = startSession(project, undefined, {
      hooks: {
        WorktreeCreate: createHooks(`echo installed > "$(${PRINT_PATH})/package"`),
        WorktreeRemove: createHooks(`rm "$(${PRINT_PATH})/package"`),
      },
    })

    await run('EnterWorktree', { name: 'work' })
    expect(await run('Read', { file_path: 'package' })).toContain('installed')
    expect(await run('ExitWorktree', { action: 'remove' })).toContain('was removed')
    expect(existsSync(join(project, '.haft/worktrees/work'))).toBe(false)
  })

  test('refuse a new worktree, which is removed again, but not one that exists', async () => {
    const project = fixture.copy()
    const before = git(project, 'branch', '--list')
    const hooks = { WorktreeCreate: createHooks('echo "not today" >&2; exit 2') }
    const { runtime, run } = startSession(project, undefined, { hooks })

    const refusal = await run('EnterWorktree', { name: 'work' })

    expect(refusal).toContain('No worktree was entered: a WorktreeCreate hook objects: not today')
    expect(runtime).toMatchObject({ cwd: project, worktree: undefined })
    expect(existsSync(join(project, '.haft/worktrees/work'))).toBe(false)
    expect(git(project, 'branch', '--list')).toBe(before)

    await startSession(project).run('EnterWorktree', { name: 'work' })
    expect(await run('EnterWorktree', { name: 'work' })).toContain('a worktree that already existed')
  })

  test('keep a refused worktree in which they wrote a file, and are asked again until they accept it', async () => {
    const project = fixture.copy()
    const allowed = join(project, '.git/allowed')
    const command = `echo x > "$(${PRINT_PATH})/own"; test -e "${allowed}" && exit 0; echo no >&2; exit 2`
    const hooks = { WorktreeCreate: createHooks(command) }
    const { runtime, run } = startSession(project, undefined, { hooks })

    const refusals = [await run('EnterWorktree', { name: 'work' }), await run('EnterWorktree', { name: 'work' })]

    const path = join(project, '.haft/worktrees/work')
    for (const refusal of refusals)
      expect(refusal).toContain(
        `hook objects: no. The worktree ${path} was not removed: untracked or ignored files: own.`,
      )
    expect(existsSync(join(path, 'own'))).toBe(true)
    expect(runtime).toMatchObject({ cwd: project, worktree: undefined })

    write(allowed, '')
    expect(await run('EnterWorktree', { name: 'work' })).toContain('a worktree that already existed')
  })

  test('keep a worktree that would be removed, also that of a sub-agent', async () => {
    const project = fixture.copy()
    const hooks = { WorktreeRemove: createHooks('echo "in use" >&2; exit 2') }
    const { run } = startSession(project, undefined, { hooks })
    const { runAgent } = await startAgents({ cwd: project, hooks, scripts: { 'Look around': ['Seen.'] } })
    await run('EnterWorktree', { name: 'work' })

    const refusal = await run('ExitWorktree', { action: 'remove' })
    const { text } = await runAgent({ prompt: 'Look around', isolation: 'worktree' })

    expect(refusal).toContain('was kept:\n- a WorktreeRemove hook objects: in use\n')
    expect(text).toContain('was kept: a WorktreeRemove hook objects: in use.')
    expect(git(project, 'worktree', 'list').trim().split('\n')).toHaveLength(3)
  })
})

test('a sub-agent of a session in a worktree works there, or in its own copy of it', async () => {
  const cwd = fixture.copy()
  const { runtime, runAgent } = await startAgents({
    cwd,
    permissions: { mode: 'acceptEdits' },
    scripts: {
      'Write here': [{ calls: [{ name: 'Write', input: { file_path: 'here.txt', content: 'here\n' } }] }, 'Written.'],
      'Write elsewhere': [
        { calls: [{ name: 'Write', input: { file_path: 'elsewhere.txt', content: 'elsewhere\n' } }] },
        'Written.',
      ],
    },
  })
  runtime.load(['EnterWorktree'])
  await runtime.definitions()
  await runtime.run([call('EnterWorktree', { name: 'work' })]).results

  await runAgent({ prompt: 'Write here' })
  const { text } = await runAgent({ prompt: 'Write elsewhere', isolation: 'worktree' })

  const worktree = join(cwd, '.haft/worktrees/work')
  const [, copy = ''] = /It left changes in (\S+),/.exec(text) ?? []
  expect(readFileSync(join(worktree, 'here.txt'), 'utf8')).toBe('here\n')
  expect(readFileSync(join(copy, 'elsewhere.txt'), 'utf8')).toBe('elsewhere\n')
  expect(existsSync(join(cwd, 'here.txt')) || existsSync(join(worktree, 'elsewhere.txt'))).toBe(false)
})

test('a new runtime can enter the worktree of an earlier session, unless it was removed', async () => {
  const project = fixture.copy()
  const first = startSession(project)
  await first.run('EnterWorktree', { name: 'work' })
  write(join(project, '.haft/worktrees/work/new.txt'), 'new\n')
  await first.runtime.dispose()

  const second = startSession(project)
  await second.runtime.reenterWorktree('work')
  expect(second.runtime.cwd).toBe(join(project, '.haft/worktrees/work'))
  expect(await second.run('Write', { file_path: join(project, 'x.txt'), content: 'x' })).toContain(
    'outside the working',
  )

  const third = startSession(project)
  await expect(third.runtime.reenterWorktree('gone')).rejects.toThrow('no longer exists')
  expect(third.runtime.cwd).toBe(project)
})
