import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { BackgroundTask } from '../../contract/ports/tasks.js'
import { Spill } from '../../results/spill.js'
import { isAlive } from '../../testing/running-processes.js'
import { openTestShell, type TestShell } from '../../testing/test-shell.js'
import { testWithProgram } from '../../testing/test-with-program.js'

const LONG_WAIT_OPTIONS = { waitMs: 60_000 }

let endedTasks: BackgroundTask[] = []
let shell: TestShell

beforeEach(() => {
  endedTasks = []
  shell = openTestShell((directory) => (id) => new Spill({ directory, id, maxBytes: 2_000_000 }), {
    onTaskEnded: (task) => endedTasks.push(task),
  })
})

afterEach(async () => {
  await shell.close()
  expect(shell.findRunningPids()).toEqual([])
})

async function start(command: string): Promise<string> {
  return (await shell.port.start(shell.request(command, { description: 'a task' }))).taskId
}

/** Reads until the whole text has arrived, because a task may print it in several parts. */
async function readUntil(id: string, expectedText: string): Promise<void> {
  for (let text = ''; text !== expectedText; ) {
    const output = await shell.port.tasks.output(id, { waitMs: 1 })
    text += output?.text
    expect(expectedText.startsWith(text)).toBe(true)
  }
}

describe('a command in the background', () => {
  test('returns the output since the last read, and its final status', async () => {
    const id = await start('mkfifo go; echo one; read x <go; echo two; exit 3')
    await readUntil(id, 'one\n')
    expect(shell.port.tasks.list()).toEqual([{ id, kind: 'shell', description: 'a task', status: 'running' }])

    await shell.run('echo >go')

    const task = { id, kind: 'shell', description: 'a task', status: 'failed', exitCode: 3 }
    expect(await shell.port.tasks.output(id, LONG_WAIT_OPTIONS)).toEqual({ task, text: 'two\n', receivedBytes: 8 })
    expect(endedTasks).toEqual([task])
    expect(await shell.port.tasks.output(id)).toEqual({ task, text: '', receivedBytes: 8 })
  })

  test('is not started while 32 others run', async () => {
    const ids = await Promise.all(Array.from({ length: 32 }, () => start('sleep 1000')))

    await expect(start('true')).rejects.toThrow(/32 commands run in the background, which is the limit/)
    await shell.port.tasks.stop(ids[0] ?? '')
    await expect(start('true')).resolves.toMatch(/^shell-/)
  })

  test('has the status completed if it succeeds', async () => {
    const id = await start('true')

    expect(await shell.port.tasks.output(id, LONG_WAIT_OPTIONS)).toMatchObject({
      task: { status: 'completed', exitCode: 0 },
    })
  })

  test('is stopped with all processes that it started', async () => {
    const id = await start('trap "" TERM; sleep 1000 & sleep 1000 & echo up; wait; sleep 1000')
    await readUntil(id, 'up\n')

    expect(await shell.port.tasks.stop(id)).toMatchObject({ status: 'stopped', exitCode: null })
    expect(shell.findRunningPids()).toEqual([])
    expect(endedTasks).toHaveLength(1)
  })

  test('shows the start and end of long output, and the path of the complete output', async () => {
    const id = await start('echo first; head -c 1000000 /dev/zero | tr "\\0" a; echo; echo last')

    const output = await shell.port.tasks.output(id, LONG_WAIT_OPTIONS)

    expect(output?.receivedBytes).toBe(1_000_012)
    expect(output?.text).toMatch(/^\[Long output: 1000012 bytes received; .*\]\nfirst\na+\n.*\na+\nlast\n$/)
    expect(readFileSync(output?.path ?? '')).toHaveLength(1_000_012)
  })

  test('is stopped at the output limit', async () => {
    const id = await start('yes')

    const output = await shell.port.tasks.output(id, LONG_WAIT_OPTIONS)

    expect(output).toMatchObject({ task: { status: 'failed', exitCode: null } })
    expect(output?.text).toMatch(/The command was stopped because it printed more than the output limit\.\]$/)
    expect(shell.findRunningPids()).toEqual([])
  })

  test('is not reported as ended while a child holds its output', async () => {
    const id = await start('mkfifo go; (read x <go; echo late) & echo early; exit 2')
    await readUntil(id, 'early\n')

    await shell.run('echo >go')

    expect(await shell.port.tasks.output(id, LONG_WAIT_OPTIONS)).toMatchObject({
      task: { status: 'failed', exitCode: 2 },
      text: 'late\n',
    })
  })

  test('may end before its children, which run until the port is closed', async () => {
    const id = await start('sleep 1000 >/dev/null 2>&1 & echo $! >pid')
    await shell.port.tasks.output(id, LONG_WAIT_OPTIONS)
    const pid = Number(readFileSync(join(shell.folder, 'pid'), 'utf8'))
    expect(isAlive(pid)).toBe(true)

    await shell.port.dispose()

    expect(isAlive(pid)).toBe(false)
  })

  test('is stopped when the port is closed', async () => {
    const id = await start('echo up; sleep 1000')
    await readUntil(id, 'up\n')

    await shell.port.dispose()

    expect(endedTasks).toMatchObject([{ id, status: 'stopped' }])
    expect(shell.findRunningPids()).toEqual([])
  })

  test('is not listed as a task if it cannot be started', async () => {
    await expect(shell.port.start(shell.request('true', { cwd: '/no/such/folder' }))).rejects.toThrow(/does not exist/)
    expect(shell.port.tasks.list()).toEqual([])
  })
})

describe('a command that may continue in the background', () => {
  test('moves to the background at its time limit', async () => {
    const outcome = await shell.run('mkfifo go; echo one; read x <go; echo two', {
      timeoutMs: 300,
      onTimeout: 'background',
      description: 'slow',
    })

    const id = outcome.taskId ?? ''
    expect(outcome).toMatchObject({ exitCode: null, signal: null, timedOut: true })
    expect(shell.port.tasks.list()).toMatchObject([{ id, description: 'slow', status: 'running' }])
    await shell.run('until [ -p go ]; do :; done; echo >go')
    const laterOutput = await shell.port.tasks.output(id, LONG_WAIT_OPTIONS)
    expect(laterOutput).toMatchObject({ task: { status: 'completed' }, receivedBytes: 8 })
    expect(outcome.output.text + laterOutput?.text).toBe('one\ntwo\n')
  })

  test('is not listed as a task if it ends in time', async () => {
    const outcome = await shell.run('echo one; exit 2', { onTimeout: 'background' })

    expect(outcome).toMatchObject({ exitCode: 2, timedOut: false, output: { text: 'one\n' } })
    expect(outcome.taskId).toBeUndefined()
    expect(shell.port.tasks.list()).toEqual([])
  })

  testWithProgram('setsid', 'util-linux')(
    'may leave a process in another session, which runs until the task is stopped',
    async () => {
      const { taskId = '' } = await shell.run('setsid sleep 1000 & echo $! >pid; wait', {
        timeoutMs: 300,
        onTimeout: 'background',
      })
      await shell.run('until [ -s pid ]; do :; done')
      const pid = Number(readFileSync(join(shell.folder, 'pid'), 'utf8'))
      expect(isAlive(pid)).toBe(true)

      await shell.port.tasks.stop(taskId)

      expect(isAlive(pid)).toBe(false)
    },
  )
})
