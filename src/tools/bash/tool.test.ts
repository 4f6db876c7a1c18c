import { describe, expect, test } from 'vitest'
import type { ToolContext, ToolResult } from '../../contract/tool/tool.js'
import { analyseCommand } from '../../shell/analyse-command.js'
import { callTool } from '../../testing/call-tool.js'
import { type FakeOutcome, type FakeShell, fakeShell } from '../../testing/fakes.js'
import type { CommandInput } from '../commands/command-input.js'
import type { CommandOutput } from '../commands/command-output.js'
import { BashTool } from './tool.js'

const taskContext = { tools: [{ name: 'TaskOutput', readsTasks: true }] } as never

/** Returns the result text for a command with this outcome. */
const getResultText = (outcome: FakeOutcome, input: Partial<CommandInput> = {}) =>
  callTool(BashTool, { command: 'make', ...input }, { shell: fakeShell(outcome) })

async function callBash(
  input: CommandInput,
  shell: FakeShell,
  contextFields: object = {},
): Promise<ToolResult<CommandOutput>> {
  const { signal } = new AbortController()
  const context = { toolUseId: 't', cwd: '/project', signal, shell, options: { tools: [] }, ...contextFields }
  return BashTool.call(input, context as never, async () => ({ behavior: 'allow' }), { type: 'assistant', content: [] })
}

const analyse = ({ command }: { command: string }) => analyseCommand(command, { cwd: '/project' })

describe('the model receives', () => {
  test('the output unchanged, except for colours', async () => {
    expect(await getResultText({ text: '  \u001b[32mok\u001b[0m\n10%\r100%\n\n' })).toBe('  ok\n100%')
  })
  test('a note if there was no output', async () => {
    expect(await getResultText({})).toBe('The command succeeded without output.')
    expect(await getResultText({ exitCode: 2 })).toBe('The command had no output.\nExit code 2.')
  })
  test('the exit code and its meaning', async () => {
    expect(await getResultText({ text: 'boom\n', exitCode: 2 })).toBe('boom\n\nExit code 2.')
    expect(await getResultText({ exitCode: 1 }, { command: 'grep x f' })).toContain(
      'Exit code 1: no line matches, which is not an error.',
    )
    expect(await getResultText({ exitCode: 127 })).toContain('Exit code 127: the command was not found.')
    expect(await getResultText({ exitCode: null, signal: 'SIGKILL' })).toContain(
      'The command was ended by signal SIGKILL.',
    )
  })
  test('the output so far after a timeout', async () => {
    const text = await getResultText({ text: 'half\n', exitCode: null, timedOut: true }, { timeout: 5_000 })
    expect(text).toMatch(/^half\n\nTimed out after 5 s; the output above is incomplete\./)
  })
  test('the task id of a command that continues in the background', async () => {
    const text = await getResultText({ text: 'half\n', exitCode: null, taskId: 'b1' })
    expect(text).toBe(
      'half\n\nStill running after 120 s; it continues in the background as task b1. TaskOutput reads its further output, TaskStop ends it.',
    )
  })
  test('a note that the time limit was reduced', async () => {
    const shell = fakeShell()
    const text = await callTool(BashTool, { command: 'make', timeout: 900_000 }, { shell })
    expect(text).toContain('The time limit of 900000 ms was reduced to the maximum of 600000 ms')
    expect(shell.requests[0]?.timeoutMs).toBe(600_000)
  })
  test('a note that leftover processes were ended', async () => {
    const options = taskContext
    const ask = (killedProcessCount: number) =>
      callTool(BashTool, { command: 'a' }, { shell: fakeShell({ killedProcessCount }), options })
    expect(await ask(1)).toContain('Processes left running (1) were ended with the command. Use run_in')
    expect(await getResultText({ killedProcessCount: 2 })).toMatch(
      /Processes left running \(2\) were ended with the command\.$/,
    )
  })
  test('a note that a sandbox has its own processes, devices and network', async () => {
    const note = 'the output does not describe the machine'
    for (const command of [
      'ps aux | grep node',
      'pgrep -l node',
      '/bin/ss -tln',
      'cd x && cat /proc/1/cmdline',
      'ls /dev',
    ]) {
      expect(await getResultText({ confinement: 'read-only' }, { command })).toContain(note)
      expect(await getResultText({ confinement: 'none' }, { command })).not.toContain(note)
    }
    for (const command of [
      'cat a',
      'cat a 2>/dev/null',
      'grep ps /dev/null',
      'echo ps',
      'cat /dev/stdin',
      'cat /proc/cpuinfo',
    ]) {
      expect(await getResultText({ confinement: 'read-only' }, { command })).not.toContain(note)
    }
  })
  test('the refusals of the sandbox, verbatim', async () => {
    const refusals = ['The sandbox refused a write to /etc/x.', 'The settings allow no command outside the sandbox.']
    const text = await getResultText({ exitCode: 1, confinement: 'workspace', refusals })
    expect(text).toBe(`The command had no output.\nExit code 1.\n${refusals.join('\n')}`)
  })
  test('a note that the output exceeded the size limit', async () => {
    const output = { text: 'notice', receivedBytes: 300, keptBytes: 200, isCut: true, path: '/tmp/x' }
    const text = await getResultText({ exitCode: null, signal: 'SIGKILL', output } as FakeOutcome)
    expect(text).toContain('The command was stopped because its output exceeded the size limit.')
  })
})

test('a failed command is an error, but an exit code such as that of an unsuccessful grep is not', async () => {
  const isError = async (command: string, outcome: FakeOutcome) => {
    const { data } = await callBash({ command }, fakeShell(outcome))
    return BashTool.mapToolResultToToolResultBlockParam(data, 't').is_error === true
  }
  expect(await isError('make', { exitCode: 1 })).toBe(true)
  expect(await isError('make', { exitCode: null, signal: 'SIGTERM' })).toBe(true)
  expect(await isError('make', { exitCode: null, timedOut: true })).toBe(true)
  expect(await isError('make', {})).toBe(false)
  expect(await isError('diff a b', { exitCode: 1 })).toBe(false)
  expect(await isError('make', { exitCode: null, taskId: 'b1' })).toBe(false)
})

describe('the working directory', () => {
  const runAndEndIn = async (cwd: string, folders?: readonly string[], start = '/project') => {
    const { data, contextModifier } = await callBash(
      { command: 'cd somewhere' },
      fakeShell({ cwd }, folders === undefined ? {} : { folders }),
      { cwd: start },
    )
    const contextBefore = { cwd: start, toolUseId: 't' } as ToolContext
    return { cwd: contextModifier?.(contextBefore).cwd, notes: data.notes }
  }
  test('is where the last command ended', async () => {
    expect(await runAndEndIn('/project/src', ['/project'])).toEqual({
      cwd: '/project/src',
      notes: ['The working directory is now /project/src.'],
    })
    expect((await runAndEndIn('/more/x', ['/project', '/more'])).cwd).toBe('/more/x')
    expect((await runAndEndIn('/anywhere')).cwd).toBe('/anywhere')
  })
  test('is not mentioned if it is unchanged', async () => {
    expect(await runAndEndIn('/project', ['/project'])).toEqual({ cwd: undefined, notes: [] })
  })
  test('is reset to the project from outside, with a note', async () => {
    const { notes, cwd } = await runAndEndIn('/projects/other', ['/project', '/more'], '/more/x')
    expect(cwd).toBe('/project')
    expect(notes).toEqual([
      'The command ended in /projects/other, outside the working directories. The next command starts in /project.',
    ])
  })
})

describe('a background task', () => {
  test('is started, with a note on how to read and stop it', async () => {
    const shell = fakeShell()
    const input = { command: 'npm start', run_in_background: true, description: 'Starts the server' }
    const text = await callTool(BashTool, input, { shell, options: taskContext })

    expect(text).toBe('Running in the background as task task-1. TaskOutput reads its output, TaskStop ends it.')
    expect(shell.requests).toMatchObject([{ command: 'npm start', isStart: true, description: 'Starts the server' }])
  })
  test('is refused if no tool can read it', async () => {
    const call = callTool(BashTool, { command: 'npm start', run_in_background: true }, { shell: fakeShell() })
    await expect(call).rejects.toThrow('without run_in_background')
  })
  test('is created at the time limit, if a tool can read it', async () => {
    const shell = fakeShell()
    await callTool(BashTool, { command: 'make' }, { shell, options: taskContext })
    await callTool(BashTool, { command: 'make' }, { shell })
    await callTool(BashTool, { command: 'sleep 9999' }, { shell, options: taskContext })
    expect(shell.requests.map(({ onTimeout }) => onTimeout)).toEqual(['background', 'end', 'end'])
  })
})

describe('a read-only command', () => {
  test('runs in a read-only sandbox, and git runs no helpers and writes nothing', async () => {
    const shell = fakeShell({ confinement: 'read-only' })
    await callTool(BashTool, { command: 'cat a' }, { shell })
    await callTool(BashTool, { command: 'cat a', dangerouslyDisableSandbox: true }, { shell })
    await callTool(BashTool, { command: 'cat a > b' }, { shell })

    expect(shell.requests.map(({ confinement }) => confinement)).toEqual(['read-only', 'none', undefined])
    expect(shell.requests[0]?.environment).toMatchObject({ GIT_OPTIONAL_LOCKS: '0', GIT_CONFIG_VALUE_1: '/dev/null' })
    expect(shell.requests[2]?.environment).toBeUndefined()
  })

  test('does not let git refresh the index if there is no sandbox that protects it', async () => {
    const shells = [true, false].map((isAvailable) => fakeShell({}, { status: { isAvailable } }))
    for (const shell of shells) await callTool(BashTool, { command: 'git diff' }, { shell })

    const refreshes = shells.map(
      ({ requests }) => !Object.values(requests[0]?.environment ?? {}).includes('diff.autoRefreshIndex'),
    )
    expect(refreshes).toEqual([true, false])
  })

  test('is detected only if all of its parts are read-only', () => {
    const readInput = { command: 'cat a | head' }
    const removeInput = { command: 'cat a; rm a' }
    const pushInput = { command: 'cd x && git push' }
    expect(BashTool.isReadOnly(readInput, analyse(readInput))).toBe(true)
    expect(BashTool.isConcurrencySafe(readInput, analyse(readInput))).toBe(true)
    expect(BashTool.isDestructive(readInput, analyse(readInput))).toBe(false)
    expect(BashTool.isReadOnly(removeInput, analyse(removeInput))).toBe(false)
    expect(BashTool.preparePermissionMatcher(pushInput, analyse(pushInput))('git push:*')).toBe(true)
  })
  test('is treated as able to do anything if it was not analysed', () => {
    const input = { command: 'cat a' }
    expect(BashTool.isReadOnly(input)).toBe(false)
    expect(BashTool.isConcurrencySafe(input)).toBe(false)
    expect(BashTool.isDestructive(input)).toBe(true)
    expect(BashTool.isOpenWorld(input)).toBe(true)
    expect(BashTool.resources(input)).toMatchObject({ unknown: true })
    expect(() => BashTool.preparePermissionMatcher(input)('cat a')).toThrow('only at run time')
  })
})

test('output is reported as it arrives', async () => {
  const reports: unknown[] = []
  const shell = fakeShell({ chunks: ['one\n', 'two\n'] })
  await callTool(BashTool, { command: 'make' }, { shell, onProgress: (progress) => reports.push(progress) })

  expect(reports).toEqual([
    { type: 'output', lastLines: 'one', receivedBytes: 4 },
    { type: 'output', lastLines: 'one\ntwo', receivedBytes: 8 },
  ])
})

describe('leaving the sandbox', () => {
  const ask = (defaultConfinement: 'none' | 'workspace', isAvailable = true, command = 'make') => {
    const shell = fakeShell({}, { status: { byDefault: defaultConfinement, isAvailable } })
    const context = { shell, command: analyse({ command }) }
    return BashTool.checkPermissions({ command, dangerouslyDisableSandbox: true }, context as never)
  }
  test('needs approval if there is a sandbox', async () => {
    expect(await ask('workspace')).toMatchObject({
      behavior: 'ask',
      reason: { text: 'dangerouslyDisableSandbox runs it outside the sandbox' },
    })
    expect(await ask('none')).toEqual({ behavior: 'passthrough' })
    expect(await ask('workspace', false)).toEqual({ behavior: 'passthrough' })
  })
  test('needs approval for a read-only command even without a sandbox, because it would inherit all variables', async () => {
    expect(await ask('none', true, 'cat a')).toMatchObject({ behavior: 'ask' })
    expect(await ask('none', false, 'cat a')).toMatchObject({ behavior: 'ask' })
  })
  test('requests the confinement none only if dangerouslyDisableSandbox is set', async () => {
    const shell = fakeShell()
    await callTool(BashTool, { command: 'make', dangerouslyDisableSandbox: true }, { shell })
    await callTool(BashTool, { command: 'make' }, { shell })
    expect(shell.requests.map(({ confinement }) => confinement)).toEqual(['none', undefined])
  })
})

test.each([
  [{ command: '' }, 'command'],
  [{ command: ' \n' }, 'empty'],
  [{ command: 'a\0b' }, 'NUL'],
  [{ command: 'a', timeout: 0 }, 'timeout'],
  [{ command: 'a', _simulatedSedEdit: {} }, '_simulatedSedEdit'],
])('wrong input is refused: %j', async (input, message) => {
  await expect(callTool(BashTool, input, { shell: fakeShell() })).rejects.toThrow(message)
})
