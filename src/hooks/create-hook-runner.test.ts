import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { HookFunction } from './config/hook-config.js'
import { parseHookConfig } from './config/parse-hook-config.js'
import { type AsyncHookEnd, createHookRunner, type HookRunner, type HookRunnerOptions } from './create-hook-runner.js'

const CALL = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'u1' }
const failure = (hook: string, message: string) => ({
  message,
  forUser: `The PreToolUse hook ${hook} failed: ${message}`,
})
const EMPTY = { additionalContext: [], reports: [], cancelled: false }

let folder = ''
let runners: HookRunner[] = []

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-hooks-')))
})

afterEach(async () => {
  await Promise.all(runners.map((runner) => runner.dispose()))
  runners = []
  rmSync(folder, { recursive: true, force: true })
})

function runnerOf(settings: unknown, options: Partial<HookRunnerOptions> = {}): HookRunner {
  const { config, problems } = parseHookConfig(settings)
  expect(problems).toEqual([])
  const runner = createHookRunner({
    config,
    session: () => ({ session_id: 's', transcript_path: 't', cwd: folder, permission_mode: 'default' }),
    projectDir: folder,
    environment: process.env,
    patienceMs: 0,
    ...options,
  })
  runners.push(runner)
  return runner
}

const fn = (run: HookFunction, more: object = {}) => ({ type: 'function', run, ...more })
const pre = (...hooks: object[]) => ({ PreToolUse: [{ hooks }] })
const saying = (additionalContext: string) => ({ hookSpecificOutput: { additionalContext } })

describe('a runner', () => {
  test('without hooks for the event has nothing to do', async () => {
    const runner = runnerOf({ Stop: [{ hooks: [{ type: 'command', command: 'false' }] }] })

    expect(runner.hasHooks('PreToolUse', 'Bash')).toBe(false)
    expect(await runner.run('PreToolUse', CALL)).toEqual(EMPTY)
  })

  test('runs the hooks whose matcher fits any name of the tool', async () => {
    const runner = runnerOf({
      PreToolUse: [
        { matcher: 'Bash', hooks: [fn(() => saying('name'))] },
        { matcher: 'Shell', hooks: [fn(() => saying('alias'))] },
        { matcher: 'Read', hooks: [fn(() => saying('other'))] },
        { matcher: 'B.*', hooks: [fn(() => saying('expression'))] },
      ],
    })

    const outcome = await runner.run('PreToolUse', CALL, { names: ['Shell'] })

    expect(outcome.additionalContext).toEqual(['name', 'alias', 'expression'])
    expect(['Bash', 'Shell', 'Edit'].map((name) => runner.hasHooks('PreToolUse', name))).toEqual([true, true, false])
  })

  test('matches other events by what they are about, or not at all', async () => {
    const runner = runnerOf({
      SessionStart: [
        { matcher: 'resume', hooks: [fn(() => 'resumed')] },
        { matcher: 'startup', hooks: [fn(() => 'started')] },
      ],
      Stop: [{ matcher: 'ignored', hooks: [fn(() => ({ decision: 'block', reason: 'Run the tests' }))] }],
    })

    expect((await runner.run('SessionStart', { source: 'startup' })).additionalContext).toEqual(['started'])
    expect((await runner.run('Stop', {})).blocked).toBe('Run the tests')
  })

  test('runs a hook only if its condition fits', async () => {
    const runner = runnerOf({
      PreToolUse: [
        { matcher: 'Bash', if: 'Bash(git push:*)', hooks: [fn(() => saying('push'))] },
        { matcher: 'Bash', hooks: [fn(() => saying('list'), { if: 'Bash(ls:*)' })] },
      ],
    })

    const outcome = await runner.run('PreToolUse', CALL, { matchesRule: ({ content }) => content === 'ls:*' })

    expect(outcome.additionalContext).toEqual(['list'])
  })

  test('keeps the configured order, whoever ends first', async () => {
    let release: (value: unknown) => void = () => {}
    const released = new Promise((resolve) => {
      release = resolve
    })
    const runner = runnerOf(
      pre(
        fn(async () => {
          await released
          return { ...saying('first'), decision: 'approve' }
        }),
        fn(() => {
          release(undefined)
          return saying('second')
        }),
      ),
    )

    const outcome = await runner.run('PreToolUse', CALL)

    expect(outcome.additionalContext).toEqual(['first', 'second'])
    expect(outcome.reports.map(({ outcome: end, message }) => ({ end, message }))).toEqual([
      { end: 'ok', message: 'first' },
      { end: 'ok', message: 'second' },
    ])
  })

  test('runs one hook for each distinct command', async () => {
    const log = join(folder, 'log')
    const note = (text: string) => ({ type: 'command', command: `echo ${text} >> ${log}` })
    const runner = runnerOf({ PreToolUse: [{ hooks: [note('a')] }, { matcher: 'B.*', hooks: [note('a'), note('a')] }] })

    const outcome = await runner.run('PreToolUse', CALL)

    expect(readFileSync(log, 'utf8')).toBe('a\n')
    expect(outcome.reports).toHaveLength(1)
  })

  test('waits for a hook that is configured twice, if one of the two is waited for', async () => {
    const run = () => ({ decision: 'block', reason: 'no' })
    const runner = runnerOf(pre(fn(run, { async: true }), fn(run)))

    expect((await runner.run('PreToolUse', CALL)).permission).toEqual({ behavior: 'deny', reason: 'no' })
  })

  test('runs a hook with once again if its run was called off, and not beside that run', async () => {
    const controller = new AbortController()
    let runs = 0
    const guard = () => {
      runs++
      return runs === 1 ? new Promise(() => {}) : { decision: 'block', reason: 'no' }
    }
    const runner = runnerOf(pre(fn(guard, { once: true })))

    const first = runner.run('PreToolUse', CALL, { signal: controller.signal })
    await vi.waitFor(() => expect(runs).toBe(1))
    const beside = await runner.run('PreToolUse', CALL)
    controller.abort()
    await first
    const second = await runner.run('PreToolUse', CALL)
    const third = await runner.run('PreToolUse', CALL)

    expect([beside.permission, second.permission, third.permission]).toEqual([
      undefined,
      { behavior: 'deny', reason: 'no' },
      undefined,
    ])
    expect(runs).toBe(2)
  })

  test('runs a hook with once only once, even for two calls at a time', async () => {
    let runs = 0
    const runner = runnerOf(
      pre(
        fn(
          () => {
            runs++
          },
          { once: true, if: 'Bash' },
        ),
      ),
    )
    const options = { matchesRule: async () => true }

    await Promise.all([runner.run('PreToolUse', CALL, options), runner.run('PreToolUse', CALL, options)])
    await runner.run('PreToolUse', CALL, options)

    expect(runs).toBe(1)
    expect(runner.hasHooks('PreToolUse', 'Bash')).toBe(false)
  })

  test('tells when a hook starts, and what to show meanwhile', async () => {
    const starts: unknown[] = []
    const runner = runnerOf(
      pre(
        fn(() => {}, { name: 'audit', statusMessage: 'Auditing' }),
        fn(() => {}, { name: 'b' }),
      ),
    )

    await runner.run('PreToolUse', CALL, {
      onStart: (start) => {
        starts.push(start)
        throw new Error('a listener that fails')
      },
    })

    expect(starts).toEqual([
      { hookEvent: 'PreToolUse', hook: 'function audit', statusMessage: 'Auditing' },
      { hookEvent: 'PreToolUse', hook: 'function b' },
    ])
  })

  test('merges what a process, a function and a failure say', async () => {
    const runner = runnerOf(
      pre(
        { type: 'command', command: 'echo "not on main" >&2; exit 2' },
        fn(() => ({ hookSpecificOutput: { permissionDecision: 'allow', updatedInput: { command: 'pwd' } } })),
        fn(() => {
          throw new Error('broken')
        }),
        { type: 'command', command: 'exit 7' },
      ),
    )

    const outcome = await runner.run('PreToolUse', CALL)

    expect(outcome).toEqual({
      permission: { behavior: 'deny', reason: 'not on main' },
      updatedInput: { command: 'pwd' },
      additionalContext: [],
      cancelled: false,
      reports: [
        {
          hookEvent: 'PreToolUse',
          hook: 'command echo "not on main" >&2; exit 2',
          outcome: 'blocked',
          message: 'not on main',
        },
        { hookEvent: 'PreToolUse', hook: 'function', outcome: 'ok' },
        { hookEvent: 'PreToolUse', hook: 'function', outcome: 'failed', ...failure('function', 'broken') },
        {
          ...{ hookEvent: 'PreToolUse', hook: 'command exit 7', outcome: 'failed' },
          ...failure('command exit 7', 'It exited with code 7.'),
        },
      ],
    })
  })

  test.each([
    { type: 'command', command: 'sleep 1000' },
    { type: 'function', run: () => new Promise(() => {}) },
    { type: 'prompt', prompt: 'Safe?' },
    { type: 'mcp_tool', server: 'a', tool: 'b' },
  ])('lets the call go on when a $type hook hangs beyond its time limit', async (hook) => {
    const ports = { askModel: () => new Promise<string>(() => {}), callMcpTool: () => new Promise<never>(() => {}) }
    const runner = runnerOf(pre({ ...hook, timeout: 0.1 }), { ports })

    const outcome = await runner.run('PreToolUse', CALL)

    expect(outcome.permission).toBeUndefined()
    expect(outcome.reports.map(({ outcome: end, message }) => ({ end, message }))).toEqual([
      { end: 'timed-out', message: 'It took longer than its time limit of 0.1 s and was ended.' },
    ])
  })

  test('leaves no timer behind', async () => {
    vi.useFakeTimers()
    try {
      const runner = runnerOf(pre(fn(() => saying('done'), { if: 'Bash' })))

      await runner.run('PreToolUse', CALL, { matchesRule: () => true })

      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  test('says once that a matcher is too slow, and runs its hooks for every name', async () => {
    const runner = runnerOf({ PreToolUse: [{ matcher: '(a+)+', hooks: [fn(() => saying('ran'))] }] })
    const hostile = { ...CALL, tool_name: `${'a'.repeat(63)}-` }

    const first = await runner.run('PreToolUse', hostile)
    const second = await runner.run('PreToolUse', CALL)

    expect([first.additionalContext, second.additionalContext]).toEqual([['ran'], ['ran']])
    expect(first.reports.map(({ outcome }) => outcome)).toEqual(['failed', 'ok'])
    expect(second.reports.map(({ outcome }) => outcome)).toEqual(['ok'])
  })
})

describe('a hook that is not waited for', () => {
  test('does not hold up the call, decides nothing, and is reported when it ends', async () => {
    let release: (value: unknown) => void = () => {}
    const released = new Promise((resolve) => {
      release = resolve
    })
    let tellEnd: (end: AsyncHookEnd) => void = () => {}
    const ended = new Promise<AsyncHookEnd>((resolve) => {
      tellEnd = resolve
    })
    const late = async () => {
      await released
      return { decision: 'block', reason: 'too late' }
    }
    const runner = runnerOf(pre(fn(late, { async: true, name: 'late' })), { onAsyncEnd: (end) => tellEnd(end) })

    const outcome = await runner.run('PreToolUse', CALL)
    release(undefined)

    expect(outcome).toEqual(EMPTY)
    expect(await ended).toEqual({
      toolUseId: 'u1',
      answer: { permission: { behavior: 'deny', reason: 'too late' } },
      report: { hookEvent: 'PreToolUse', hook: 'function late', outcome: 'blocked', message: 'too late' },
    })
  })

  test('may end after the session, which waits for it', async () => {
    const runner = runnerOf(pre({ type: 'command', command: 'sleep 0.2; echo done > ended', async: true }), {
      patienceMs: 60_000,
    })
    await runner.run('PreToolUse', CALL)

    await runner.dispose()

    expect(await readFile(join(folder, 'ended'), 'utf8')).toBe('done\n')
  })

  test('is killed when the runner has no more patience', async () => {
    const fifo = join(folder, 'pid')
    execFileSync('mkfifo', [fifo])
    const ends: AsyncHookEnd[] = []
    const runner = runnerOf(pre({ type: 'command', command: `echo $$ > ${fifo}; exec sleep 1000`, async: true }), {
      onAsyncEnd: (end) => ends.push(end),
    })
    await runner.run('PreToolUse', CALL)
    const pid = Number(await readFile(fifo, 'utf8'))

    await runner.dispose()

    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/)
    expect(ends.map(({ report }) => report.message)).toEqual(['It was cancelled.'])
  })
})

describe('no process is left after dispose', () => {
  test.runIf(process.platform === 'linux')('where a marked one appears after its hook has ended', async () => {
    const runner = runnerOf(pre({ type: 'command', command: 'echo "$HAFT_MARK" >&2; exit 2' }))
    const outcome = await runner.run('PreToolUse', CALL)
    const mark = outcome.permission?.reason
    // As one would look that was between two programs when its hook ended.
    const late = spawn('sleep', ['1000'], { env: { ...process.env, HAFT_MARK: mark } })
    const ended = once(late, 'exit')
    await once(late, 'spawn')

    await runner.dispose()

    expect(await ended).toEqual([null, 'SIGTERM'])
  })
})

describe('calling off', () => {
  const denied = { behavior: 'deny', reason: 'The call was cancelled while its hooks ran.' }

  test('ends the processes of the run, and lets no call through', async () => {
    const fifo = join(folder, 'pid')
    execFileSync('mkfifo', [fifo])
    const controller = new AbortController()
    const runner = runnerOf(pre({ type: 'command', command: `echo $$ > ${fifo}; exec sleep 1000` }))
    const running = runner.run('PreToolUse', CALL, { signal: controller.signal })
    const pid = Number(await readFile(fifo, 'utf8'))

    controller.abort()
    const outcome = await running

    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/)
    expect(outcome).toMatchObject({ cancelled: true, permission: denied })
  })

  test('before the start starts nothing', async () => {
    const file = join(folder, 'started')
    const runner = runnerOf(pre({ type: 'command', command: `touch ${file}`, once: true }))

    const outcome = await runner.run('PreToolUse', CALL, { signal: AbortSignal.abort() })

    expect(outcome).toMatchObject({ cancelled: true, permission: denied })
    expect(existsSync(file)).toBe(false)
    expect(runner.hasHooks('PreToolUse', 'Bash')).toBe(true)
  })

  test('in answer to the start of a hook ends it, too', async () => {
    const controller = new AbortController()
    const runner = runnerOf(pre(fn(() => new Promise(() => {}))))

    const outcome = await runner.run('PreToolUse', CALL, {
      signal: controller.signal,
      onStart: () => controller.abort(),
    })

    expect(outcome).toMatchObject({ cancelled: true, permission: denied })
  })

  test('does not wait for a condition that is never answered', async () => {
    const controller = new AbortController()
    const runner = runnerOf(pre(fn(() => {}, { if: 'Bash' })))

    const outcome = await runner.run('PreToolUse', CALL, {
      signal: controller.signal,
      matchesRule: () => {
        controller.abort()
        return new Promise(() => {})
      },
    })

    expect(outcome).toMatchObject({ cancelled: true, permission: denied })
  })

  test('for good, by dispose, lets no later call past its guards', async () => {
    const runner = runnerOf(pre(fn(() => {})))
    await runner.dispose()

    expect(await runner.run('PreToolUse', CALL)).toMatchObject({ cancelled: true, permission: denied })
    expect(await runner.run('PostToolUse', { ...CALL, tool_response: '' })).toEqual(EMPTY)
  })
})
