import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SupervisedProcesses } from '../../system/processes/supervised-processes.js'
import { findProcessesWith } from '../../testing/running-processes.js'
import { testWithProgram } from '../../testing/test-with-program.js'
import type { HookEnd } from '../answer/hook-answer.js'
import type { HookCall } from './hook-call.js'
import { runCommandHook } from './run-command-hook.js'

let folder = ''
let controller = new AbortController()
let processes = new SupervisedProcesses(process.env)

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-hook-')))
  controller = new AbortController()
  processes = new SupervisedProcesses(process.env)
})

afterEach(async () => {
  await processes.dispose()
  rmSync(folder, { recursive: true, force: true })
})

function run(command: string, changes: Partial<HookCall> = {}): Promise<HookEnd> {
  const payload = {
    session_id: 's',
    transcript_path: 't',
    cwd: folder,
    permission_mode: 'default',
    hook_event_name: 'PreToolUse',
  } as const
  const hook = { type: 'command', command, timeoutMs: 60_000, once: false, async: false } as const
  return runCommandHook(hook, {
    payload,
    json: JSON.stringify(payload),
    signal: controller.signal,
    processes: async () => processes,
    projectDir: folder,
    environment: process.env,
    headerVariable: () => undefined,
    ports: {},
    ...changes,
  })
}

/** A pipe to which a hook writes its process ids: reading it waits until they are written. */
function createPidPipe(): { path: string; read: () => Promise<number[]> } {
  const path = join(folder, 'pids')
  execFileSync('mkfifo', [path])
  return { path, read: async () => (await readFile(path, 'utf8')).trim().split(/\s+/).map(Number) }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A zombie was killed but not yet reaped by its new parent: it no longer runs.
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

/** Open pipes, which would keep this process alive. */
function countOpenPipes(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'PipeWrap').length
}

describe('a command hook', () => {
  test('gets the payload on stdin and returns its answer on stdout', async () => {
    const end = await run('cat')

    expect(end).toEqual({
      type: 'text',
      text: `{"session_id":"s","transcript_path":"t","cwd":"${folder}","permission_mode":"default","hook_event_name":"PreToolUse"}`,
    })
  })

  test('gets the project folder in its environment and runs in the working folder', async () => {
    const end = await run('printf "%s %s " "$HAFT_PROJECT_DIR" "$CLAUDE_PROJECT_DIR"; pwd', { projectDir: '/project' })

    expect(end).toEqual({ type: 'text', text: `/project /project ${folder}\n` })
  })

  test('inherits only the variables in the environment option', async () => {
    const end = await run('echo "$GIVEN-$HOME"', { environment: { PATH: process.env.PATH, GIVEN: 'yes' } })

    expect(end).toEqual({ type: 'text', text: 'yes-\n' })
  })

  test('that exits with 2 blocks with its stderr as the reason, whatever it prints on stdout', async () => {
    const end = await run('echo \'{"decision":"approve"}\'; echo "not here" >&2; exit 2')

    expect(end).toEqual({ type: 'blocked', message: 'not here\n' })
  })

  test('that exits with another code fails with its stderr as the reason', async () => {
    expect(await run('echo oops >&2; exit 1')).toEqual({ type: 'failed', message: 'It exited with code 1: oops' })
    expect(await run('exit 3')).toEqual({ type: 'failed', message: 'It exited with code 3.' })
  })

  test('whose program does not exist fails', async () => {
    const end = await run('/no/such/program')

    expect(end).toMatchObject({ type: 'failed', message: expect.stringContaining('exited with code 127') })
  })

  test('that crashes fails with the name of its signal', async () => {
    expect(await run('kill -SEGV $$')).toEqual({ type: 'failed', message: 'It was ended by SIGSEGV.' })
  })

  test('that cannot be started rejects with the reason', async () => {
    await expect(run('echo \0')).rejects.toThrow(/null bytes/)
  })

  test('still runs when the working folder is gone', async () => {
    const cwd = join(folder, 'gone')

    const end = await run('pwd', {
      payload: { session_id: 's', transcript_path: 't', cwd, permission_mode: 'default', hook_event_name: 'Stop' },
    })

    expect(end).toEqual({ type: 'text', text: `${folder}\n` })
  })

  test('may close its stdin before a large payload is written', async () => {
    const end = await run('exec <&-; echo done', { json: 'x'.repeat(8 * 1024 * 1024) })

    expect(end).toEqual({ type: 'text', text: 'done\n' })
  })

  test('that prints too much fails, and its excess output is not kept in memory', async () => {
    const memoryBefore = process.memoryUsage().rss

    const end = await run('yes | head -c 300000000')

    expect(end).toEqual({
      type: 'failed',
      message: 'The command printed more than 1048576 bytes, so its answer was ignored.',
    })
    expect(process.memoryUsage().rss - memoryBefore).toBeLessThan(200 * 1024 * 1024)
  })

  test('that prints too much and exits with 2 still blocks', async () => {
    const end = await run('yes | head -c 50000000; yes no | head -c 50000000 >&2; exit 2')

    expect(end).toEqual({ type: 'blocked', message: 'no\n'.repeat(400_000).slice(0, 1024 * 1024) })
  })

  test('may print invalid UTF-8, which is decoded with replacement characters', async () => {
    expect(await run("printf '\\377\\376\\000ok'")).toEqual({ type: 'text', text: '\uFFFD\uFFFD\0ok' })
  })

  test('is not started if it is already cancelled', async () => {
    controller.abort()

    expect(await run(`touch ${join(folder, 'started')}`)).toEqual({ type: 'stopped' })
    expect(() => readFileSync(join(folder, 'started'))).toThrow(/ENOENT/)
  })
})

describe('no process remains', () => {
  test('after a command that hangs is cancelled', async () => {
    const pids = createPidPipe()
    const hookResult = run(`sleep 1000 & echo $$ $! > ${pids.path}; wait`)
    const startedPids = await pids.read()

    controller.abort()

    expect(await hookResult).toEqual({ type: 'stopped' })
    expect(startedPids).toHaveLength(2)
    expect(startedPids.filter(isAlive)).toEqual([])
  })

  test('if a grandchild ignores SIGTERM and holds the pipe', async () => {
    const pids = createPidPipe()
    const stubbornScript = `trap "" TERM; echo $$ > ${pids.path}; while :; do sleep 1; done`
    const hookResult = run(`sh -c '${stubbornScript}' & wait`)
    const startedPids = await pids.read()

    controller.abort()

    expect(await hookResult).toEqual({ type: 'stopped' })
    expect(startedPids).toHaveLength(1)
    expect(startedPids.filter(isAlive)).toEqual([])
  })

  test('if the command left a child behind that ignores SIGTERM and holds the pipe', async () => {
    const readyPipe = join(folder, 'ready')
    const file = join(folder, 'pid')
    const stubbornScript = `trap "" TERM; echo $$ > ${readyPipe}; while :; do sleep 1; done`

    const end = await run(
      `mkfifo ${readyPipe}; sh -c '${stubbornScript}' & read pid < ${readyPipe}; echo $pid > ${file}; echo '{}'`,
    )

    expect(end).toEqual({ type: 'text', text: '{}\n' })
    expect(isAlive(Number(readFileSync(file, 'utf8')))).toBe(false)
  })

  test('if the command left a child behind that does not hold the pipe', async () => {
    const file = join(folder, 'pid')

    const end = await run(`sleep 1000 >/dev/null 2>&1 & echo $! > ${file}; exit 2`)

    expect(end).toEqual({ type: 'blocked', message: '' })
    expect(isAlive(Number(readFileSync(file, 'utf8')))).toBe(false)
  })

  testWithProgram('setsid', 'util-linux')('if a process left the group before its hook was cancelled', async () => {
    const pids = createPidPipe()
    const hookResult = run(`setsid sh -c 'echo $$ > ${pids.path}; exec sleep 1000' & wait`)
    const startedPids = await pids.read()

    controller.abort()

    expect(await hookResult).toEqual({ type: 'stopped' })
    expect(startedPids).toHaveLength(1)
    expect(startedPids.filter(isAlive)).toEqual([])
  })

  testWithProgram('setsid', 'util-linux')('if a process left the group before its hook ended normally', async () => {
    const readyPipe = join(folder, 'ready')
    const file = join(folder, 'pid')
    const daemonise = `setsid sh -c 'echo $$ > ${readyPipe}; exec sleep 1000 >/dev/null 2>&1'`

    const end = await run(`mkfifo ${readyPipe}; ${daemonise} & read pid < ${readyPipe}; echo $pid > ${file}; echo fine`)

    expect(end).toEqual({ type: 'text', text: 'fine\n' })
    expect(isAlive(Number(readFileSync(file, 'utf8')))).toBe(false)
  })

  testWithProgram('setsid', 'util-linux')('if a process was in the middle of exec when its hook ended', async () => {
    const variable = `HAFT_TEST_RUN=${randomUUID()}`
    const environment = { ...process.env, HAFT_TEST_RUN: variable.slice('HAFT_TEST_RUN='.length) }

    for (let runCount = 0; runCount < 60; runCount++)
      await run('setsid sleep 1000 >/dev/null 2>&1 & exit 0', { environment })

    const remainingPids = findProcessesWith(variable)
    for (const pid of remainingPids) process.kill(pid, 'SIGKILL')
    expect(remainingPids).toEqual([])
  })
})

testWithProgram('setsid', 'util-linux')(
  'a command hook does not wait for an unmarked daemon that left the group and holds the pipe',
  async () => {
    const readyPipe = join(folder, 'ready')
    const file = join(folder, 'pid')
    const pipes = countOpenPipes()
    // Without the mark in its environment, the daemon cannot be found.
    const daemonise = `env -i PATH="$PATH" setsid sh -c 'echo $$ > ${readyPipe}; exec sleep 1000'`

    const end = await run(`mkfifo ${readyPipe}; ${daemonise} & read pid < ${readyPipe}; echo $pid > ${file}; echo fine`)

    const daemonPid = Number(readFileSync(file, 'utf8'))
    expect(end).toEqual({ type: 'text', text: 'fine\n' })
    expect(isAlive(daemonPid)).toBe(true)
    await new Promise((resolve) => setImmediate(resolve))
    expect(countOpenPipes()).toBe(pipes)
    process.kill(daemonPid, 'SIGKILL')
  },
)

test('a hook that is cancelled before its process starts does not start', async () => {
  const marker = join(folder, 'started')
  const end = await run(`trap '' TERM; touch '${marker}'`, {
    async processes() {
      controller.abort()
      return processes
    },
  })

  expect(end).toEqual({ type: 'stopped' })
  expect(existsSync(marker)).toBe(false)
})
