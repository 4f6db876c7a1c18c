import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { HookFunction } from './config/hook-config.js'
import { parseHookConfig } from './config/parse-hook-config.js'
import {
  type AsyncHookEnd,
  createHookRunner,
  type HookRunner,
  type HookRunnerOptions,
  type RunningHook,
} from './create-hook-runner.js'

const CALL_FIELDS = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'u1' }
const createFailureTexts = (hook: string, message: string) => ({
  message,
  forUser: `The PreToolUse hook ${hook} failed: ${message}`,
})
const EMPTY_OUTCOME = { additionalContext: [], reports: [], cancelled: false }

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

function createRunner(settings: unknown, options: Partial<HookRunnerOptions> = {}): HookRunner {
  const { config, problems } = parseHookConfig(settings)
  expect(problems).toEqual([])
  const runner = createHookRunner({
    config,
    session: () => ({ session_id: 's', transcript_path: 't', cwd: folder, permission_mode: 'default' }),
    projectDir: folder,
    environment: process.env,
    disposeWaitMs: 0,
    ...options,
  })
  runners.push(runner)
  return runner
}

const createFunctionHook = (run: HookFunction, extraFields: object = {}) => ({ type: 'function', run, ...extraFields })
const createPreToolUseSettings = (...hooks: object[]) => ({ PreToolUse: [{ hooks }] })
const createContextAnswer = (additionalContext: string) => ({ hookSpecificOutput: { additionalContext } })

describe('a hook runner', () => {
  test('without hooks for the event returns an empty outcome', async () => {
    const runner = createRunner({ Stop: [{ hooks: [{ type: 'command', command: 'false' }] }] })

    expect(runner.hasHooks('PreToolUse', 'Bash')).toBe(false)
    expect(await runner.run('PreToolUse', CALL_FIELDS)).toEqual(EMPTY_OUTCOME)
  })

  test('runs the hooks whose matcher matches any name of the tool', async () => {
    const runner = createRunner({
      PreToolUse: [
        { matcher: 'Bash', hooks: [createFunctionHook(() => createContextAnswer('name'))] },
        { matcher: 'Shell', hooks: [createFunctionHook(() => createContextAnswer('alias'))] },
        { matcher: 'Read', hooks: [createFunctionHook(() => createContextAnswer('other'))] },
        { matcher: 'B.*', hooks: [createFunctionHook(() => createContextAnswer('expression'))] },
      ],
    })

    const outcome = await runner.run('PreToolUse', CALL_FIELDS, { names: ['Shell'] })

    expect(outcome.additionalContext).toEqual(['name', 'alias', 'expression'])
    expect(['Bash', 'Shell', 'Edit'].map((name) => runner.hasHooks('PreToolUse', name))).toEqual([true, true, false])
  })

  test('matches events that are not about a tool by their subject field, if they have one', async () => {
    const runner = createRunner({
      SessionStart: [
        { matcher: 'resume', hooks: [createFunctionHook(() => 'resumed')] },
        { matcher: 'startup', hooks: [createFunctionHook(() => 'started')] },
      ],
      Stop: [
        { matcher: 'ignored', hooks: [createFunctionHook(() => ({ decision: 'block', reason: 'Run the tests' }))] },
      ],
    })

    expect((await runner.run('SessionStart', { source: 'startup' })).additionalContext).toEqual(['started'])
    expect((await runner.run('Stop', {})).blocked).toBe('Run the tests')
  })

  test('runs a hook only if its condition matches', async () => {
    const runner = createRunner({
      PreToolUse: [
        { matcher: 'Bash', if: 'Bash(git push:*)', hooks: [createFunctionHook(() => createContextAnswer('push'))] },
        { matcher: 'Bash', hooks: [createFunctionHook(() => createContextAnswer('list'), { if: 'Bash(ls:*)' })] },
      ],
    })

    const outcome = await runner.run('PreToolUse', CALL_FIELDS, { matchesRule: ({ content }) => content === 'ls:*' })

    expect(outcome.additionalContext).toEqual(['list'])
  })

  test('keeps the configured order, whichever hook ends first', async () => {
    let release: (value: unknown) => void = () => {}
    const releasePromise = new Promise((resolve) => {
      release = resolve
    })
    const runner = createRunner(
      createPreToolUseSettings(
        createFunctionHook(async () => {
          await releasePromise
          return { ...createContextAnswer('first'), decision: 'approve' }
        }),
        createFunctionHook(() => {
          release(undefined)
          return createContextAnswer('second')
        }),
      ),
    )

    const outcome = await runner.run('PreToolUse', CALL_FIELDS)

    expect(outcome.additionalContext).toEqual(['first', 'second'])
    expect(outcome.reports.map(({ outcome: end, message }) => ({ end, message }))).toEqual([
      { end: 'ok', message: 'first' },
      { end: 'ok', message: 'second' },
    ])
  })

  test('runs one hook for each distinct command', async () => {
    const log = join(folder, 'log')
    const createAppendingHook = (text: string) => ({ type: 'command', command: `echo ${text} >> ${log}` })
    const runner = createRunner({
      PreToolUse: [
        { hooks: [createAppendingHook('a')] },
        { matcher: 'B.*', hooks: [createAppendingHook('a'), createAppendingHook('a')] },
      ],
    })

    const outcome = await runner.run('PreToolUse', CALL_FIELDS)

    expect(readFileSync(log, 'utf8')).toBe('a\n')
    expect(outcome.reports).toHaveLength(1)
  })

  test('waits for a hook that is configured both with and without async', async () => {
    const run = () => ({ decision: 'block', reason: 'no' })
    const runner = createRunner(
      createPreToolUseSettings(createFunctionHook(run, { async: true }), createFunctionHook(run)),
    )

    expect((await runner.run('PreToolUse', CALL_FIELDS)).permission).toEqual({ behavior: 'deny', reason: 'no' })
  })

  test('runs a hook with `once` again after its run was cancelled, but not while it runs', async () => {
    const controller = new AbortController()
    let runCount = 0
    const runGuard = () => {
      runCount++
      return runCount === 1 ? new Promise(() => {}) : { decision: 'block', reason: 'no' }
    }
    const runner = createRunner(createPreToolUseSettings(createFunctionHook(runGuard, { once: true })))

    const first = runner.run('PreToolUse', CALL_FIELDS, { signal: controller.signal })
    await expect.poll(() => runCount).toBe(1)
    const concurrentOutcome = await runner.run('PreToolUse', CALL_FIELDS)
    controller.abort()
    await first
    const second = await runner.run('PreToolUse', CALL_FIELDS)
    const third = await runner.run('PreToolUse', CALL_FIELDS)

    expect([concurrentOutcome.permission, second.permission, third.permission]).toEqual([
      undefined,
      { behavior: 'deny', reason: 'no' },
      undefined,
    ])
    expect(runCount).toBe(2)
  })

  test('runs a hook with `once` only once, even for two concurrent calls', async () => {
    let runCount = 0
    const runner = createRunner(
      createPreToolUseSettings(
        createFunctionHook(
          () => {
            runCount++
          },
          { once: true, if: 'Bash' },
        ),
      ),
    )
    const options = { matchesRule: async () => true }

    await Promise.all([runner.run('PreToolUse', CALL_FIELDS, options), runner.run('PreToolUse', CALL_FIELDS, options)])
    await runner.run('PreToolUse', CALL_FIELDS, options)

    expect(runCount).toBe(1)
    expect(runner.hasHooks('PreToolUse', 'Bash')).toBe(false)
  })

  test('reports which hooks are running, with their status messages', async () => {
    const reports: (readonly RunningHook[])[] = []
    const runner = createRunner(
      createPreToolUseSettings(createFunctionHook(() => {}, { name: 'audit', statusMessage: 'Auditing' })),
      {
        onRunning: (hooks) => {
          reports.push(hooks)
          throw new Error('a listener that fails')
        },
      },
    )

    await runner.run('PreToolUse', CALL_FIELDS)

    const running = { hookEvent: 'PreToolUse', hook: 'function audit', statusMessage: 'Auditing' }
    expect(reports).toEqual([[running], []])
  })

  test('merges the results of a process, a function and a failed hook', async () => {
    const runner = createRunner(
      createPreToolUseSettings(
        { type: 'command', command: 'echo "not on main" >&2; exit 2' },
        createFunctionHook(() => ({
          hookSpecificOutput: { permissionDecision: 'allow', updatedInput: { command: 'pwd' } },
        })),
        createFunctionHook(() => {
          throw new Error('broken')
        }),
        { type: 'command', command: 'exit 7' },
      ),
    )

    const outcome = await runner.run('PreToolUse', CALL_FIELDS)

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
        { hookEvent: 'PreToolUse', hook: 'function', outcome: 'failed', ...createFailureTexts('function', 'broken') },
        {
          ...{ hookEvent: 'PreToolUse', hook: 'command exit 7', outcome: 'failed' },
          ...createFailureTexts('command exit 7', 'It exited with code 7.'),
        },
      ],
    })
  })

  test.each([
    { type: 'command', command: 'sleep 1000' },
    { type: 'function', run: () => new Promise(() => {}) },
    { type: 'prompt', prompt: 'Safe?' },
    { type: 'mcp_tool', server: 'a', tool: 'b' },
  ])('lets the call continue when a $type hook exceeds its time limit', async (hook) => {
    const ports = { askModel: () => new Promise<string>(() => {}), callMcpTool: () => new Promise<never>(() => {}) }
    const runner = createRunner(createPreToolUseSettings({ ...hook, timeout: 0.1 }), { ports })

    const outcome = await runner.run('PreToolUse', CALL_FIELDS)

    expect(outcome.permission).toBeUndefined()
    expect(outcome.reports.map(({ outcome: end, message }) => ({ end, message }))).toEqual([
      { end: 'timed-out', message: 'It took longer than its time limit of 0.1 s and was ended.' },
    ])
  })

  test('leaves no timer behind', async () => {
    vi.useFakeTimers()
    try {
      const runner = createRunner(
        createPreToolUseSettings(createFunctionHook(() => createContextAnswer('done'), { if: 'Bash' })),
      )

      await runner.run('PreToolUse', CALL_FIELDS, { matchesRule: () => true })

      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  test('reports a slow matcher once and runs its hooks for every name', async () => {
    const runner = createRunner({
      PreToolUse: [{ matcher: '(a+)+', hooks: [createFunctionHook(() => createContextAnswer('ran'))] }],
    })
    const hostileCall = { ...CALL_FIELDS, tool_name: `${'a'.repeat(63)}-` }

    const first = await runner.run('PreToolUse', hostileCall)
    const second = await runner.run('PreToolUse', CALL_FIELDS)

    expect([first.additionalContext, second.additionalContext]).toEqual([['ran'], ['ran']])
    expect(first.reports.map(({ outcome }) => outcome)).toEqual(['failed', 'ok'])
    expect(second.reports.map(({ outcome }) => outcome)).toEqual(['ok'])
  })
})

describe('an async hook', () => {
  test('does not delay the call, decides nothing, and is reported when it ends', async () => {
    let release: (value: unknown) => void = () => {}
    const releasePromise = new Promise((resolve) => {
      release = resolve
    })
    let reportEnd: (end: AsyncHookEnd) => void = () => {}
    const hookEnd = new Promise<AsyncHookEnd>((resolve) => {
      reportEnd = resolve
    })
    const blockLate = async () => {
      await releasePromise
      return { decision: 'block', reason: 'too late' }
    }
    const runner = createRunner(
      createPreToolUseSettings(createFunctionHook(blockLate, { async: true, name: 'late' })),
      {
        onAsyncEnd: (end) => reportEnd(end),
      },
    )

    const outcome = await runner.run('PreToolUse', CALL_FIELDS)
    release(undefined)

    expect(outcome).toEqual(EMPTY_OUTCOME)
    expect(await hookEnd).toEqual({
      toolUseId: 'u1',
      answer: { permission: { behavior: 'deny', reason: 'too late' } },
      report: { hookEvent: 'PreToolUse', hook: 'function late', outcome: 'blocked', message: 'too late' },
    })
  })

  test('is awaited by dispose', async () => {
    const runner = createRunner(
      createPreToolUseSettings({ type: 'command', command: 'sleep 0.2; echo done > ended', async: true }),
      {
        disposeWaitMs: 60_000,
      },
    )
    await runner.run('PreToolUse', CALL_FIELDS)

    await runner.dispose()

    expect(await readFile(join(folder, 'ended'), 'utf8')).toBe('done\n')
  })

  test('is killed if it still runs when dispose stops waiting', async () => {
    const fifo = join(folder, 'pid')
    execFileSync('mkfifo', [fifo])
    const ends: AsyncHookEnd[] = []
    const runner = createRunner(
      createPreToolUseSettings({ type: 'command', command: `echo $$ > ${fifo}; exec sleep 1000`, async: true }),
      {
        onAsyncEnd: (end) => ends.push(end),
      },
    )
    await runner.run('PreToolUse', CALL_FIELDS)
    const pid = Number(await readFile(fifo, 'utf8'))

    await runner.dispose()

    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/)
    expect(ends.map(({ report }) => report.message)).toEqual(['It was cancelled.'])
  })
})

describe('dispose leaves no process', () => {
  test.runIf(process.platform === 'linux')('if a marked process appears after its hook has ended', async () => {
    const runner = createRunner(createPreToolUseSettings({ type: 'command', command: 'echo "$HAFT_MARK" >&2; exit 2' }))
    const outcome = await runner.run('PreToolUse', CALL_FIELDS)
    const mark = outcome.permission?.reason
    // Simulates a process that was in the middle of exec when its hook ended.
    const lateProcess = spawn('sleep', ['1000'], { env: { ...process.env, HAFT_MARK: mark } })
    const exitEvent = once(lateProcess, 'exit')
    await once(lateProcess, 'spawn')

    await runner.dispose()

    expect(await exitEvent).toEqual([null, 'SIGTERM'])
  })
})

describe('cancelling a run', () => {
  const denial = { behavior: 'deny', reason: 'The call was cancelled while its hooks ran.' }

  test('ends its processes and denies the call', async () => {
    const fifo = join(folder, 'pid')
    execFileSync('mkfifo', [fifo])
    const controller = new AbortController()
    const runner = createRunner(
      createPreToolUseSettings({ type: 'command', command: `echo $$ > ${fifo}; exec sleep 1000` }),
    )
    const hookPromise = runner.run('PreToolUse', CALL_FIELDS, { signal: controller.signal })
    const pid = Number(await readFile(fifo, 'utf8'))

    controller.abort()
    const outcome = await hookPromise

    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/)
    expect(outcome).toMatchObject({ cancelled: true, permission: denial })
  })

  test('before it starts prevents all hooks from running', async () => {
    const file = join(folder, 'started')
    const runner = createRunner(createPreToolUseSettings({ type: 'command', command: `touch ${file}`, once: true }))

    const outcome = await runner.run('PreToolUse', CALL_FIELDS, { signal: AbortSignal.abort() })

    expect(outcome).toMatchObject({ cancelled: true, permission: denial })
    expect(existsSync(file)).toBe(false)
    expect(runner.hasHooks('PreToolUse', 'Bash')).toBe(true)
  })

  test('from the onRunning listener ends the hook that just started', async () => {
    const controller = new AbortController()
    const runner = createRunner(createPreToolUseSettings(createFunctionHook(() => new Promise(() => {}))), {
      onRunning: () => controller.abort(),
    })

    const outcome = await runner.run('PreToolUse', CALL_FIELDS, { signal: controller.signal })

    expect(outcome).toMatchObject({ cancelled: true, permission: denial })
  })

  test('does not wait for a condition that never resolves', async () => {
    const controller = new AbortController()
    const runner = createRunner(createPreToolUseSettings(createFunctionHook(() => {}, { if: 'Bash' })))

    const outcome = await runner.run('PreToolUse', CALL_FIELDS, {
      signal: controller.signal,
      matchesRule: () => {
        controller.abort()
        return new Promise(() => {})
      },
    })

    expect(outcome).toMatchObject({ cancelled: true, permission: denial })
  })

  test('by dispose denies all later calls that have guards', async () => {
    const runner = createRunner(createPreToolUseSettings(createFunctionHook(() => {})))
    await runner.dispose()

    expect(await runner.run('PreToolUse', CALL_FIELDS)).toMatchObject({ cancelled: true, permission: denial })
    expect(await runner.run('PostToolUse', { ...CALL_FIELDS, tool_response: '' })).toEqual(EMPTY_OUTCOME)
  })
})
