import { execFile } from 'node:child_process'
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { testWithProgram } from '../src/testing/test-with-program.js'
import { buildFileToolsCli, createHomeAndProject } from './lib/commands-fixture.js'
import { HaftProcess, type Line, runHaft } from './lib/haft-process.js'
import { isAlive } from './lib/is-alive.js'
import { TerminalSession } from './lib/terminal-session.js'

let folder: string
let mainPath: string
let home: string
let project: string

beforeAll(async () => {
  ;({ folder, main: mainPath } = await buildFileToolsCli('haft-commands-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

beforeEach(async () => {
  ;({ home, project } = await createHomeAndProject(folder))
})

const run = (
  args: readonly string[],
  options: { input?: string | Uint8Array; variables?: Record<string, string> } = {},
) => runHaft(mainPath, args, { cwd: project, home, ...options })
const start = (...args: string[]) => new HaftProcess(mainPath, args, { cwd: project, home })
const use = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input })
const read = (id: string, file_path: string) => use(id, 'Read', { file_path })
const createResult = (tool_use_id: string, content: string) => ({ type: 'tool_result', tool_use_id, content })
const parseLines = (text: string): Line[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
const toInput = (...values: readonly unknown[]) =>
  values.map((value) => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`).join('')

/** Creates a FIFO. Opening it blocks until the other end is opened. */
async function createFifo(name: string): Promise<string> {
  const path = join(project, name)
  await promisify(execFile)('mkfifo', [path])
  return path
}

/** Waits for the handler of SIGHUP, which Node does not install itself and Haft installs after its other handlers. */
async function waitForSignalHandlers(pid: number | undefined): Promise<void> {
  const bit = 1n << BigInt(constants.signals.SIGHUP - 1)
  for (;;) {
    const [, handledSignals = '0'] = /^SigCgt:\s*(\w+)$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
    if ((BigInt(`0x${handledSignals}`) & bit) !== 0n) return
    await setImmediate()
  }
}

async function writeSettings(value: object, name = 'settings.json'): Promise<void> {
  await mkdir(join(project, '.haft'), { recursive: true })
  await writeFile(join(project, '.haft', name), JSON.stringify(value))
}

describe('haft call', () => {
  test('prints the text of the result', async () => {
    expect(await run(['call', 'Read', '{"file_path":"a.txt"}'])).toEqual({ code: 0, stdout: 'alpha\n', stderr: '' })
  })

  test('--json prints the block, and the call can be read from standard input', async () => {
    const { code, stdout } = await run(['call', 'Read', '-', '--json'], { input: '{"file_path":"a.txt"}' })
    expect({ code, block: JSON.parse(stdout) }).toEqual({ code: 0, block: createResult('call_1', 'alpha\n') })
  })

  test.each([
    ['a tool that fails', ['Read', '{"file_path":"none.txt"}'], 1, /ENOENT/],
    ['an invalid input', ['Read', '{"file_path":5}'], 1, /^InputValidationError: .*\n- file_path: expected str/],
    ['an input that is not an object', ['Read', '5'], 1, /^InputValidationError/],
    ['a question without a user to answer', ['Write', '{"file_path":"n","content":""}'], 3, /add "Edit\(\/n\)" to/],
    ['a denied tool', ['Read', '{"file_path":"a.txt"}', '--disallowed-tools', 'Read'], 3, /denied here/],
    ['a denied file', ['Read', '{"file_path":"a.txt"}', '--disallowed-tools', 'Glob, Read(a.txt)'], 3, /denies this/],
  ])('exits with the documented code for %s, and the result says why', async (_, args, code, text) => {
    const outcome = await run(['call', ...args])
    expect(outcome).toMatchObject({ code, stderr: '' })
    expect(outcome.stdout).toMatch(text)
  })

  test.each([
    [['Raed', '{}'], 'haft: unknown tool "Raed". Did you mean Read? See haft tools.\n'],
    [['Read'], "haft: expected a tool and its input: haft call TOOL '{…}'.\n"],
    [['Read', '{'], /^haft: the input is not valid JSON: .*\n$/],
    [['Read', '{}', '--permission-mode', 'acceptEdit'], /^haft: unknown permission mode .* Did you mean acceptEdits/],
    [['Read', '{}', '--allowed-tools', 'Bash('], /^haft: --allowed-tools: .*parenthesis\.\n$/],
    [['Read', '{}', '--settings', 'none.json'], /^haft: .*none\.json: file not found/],
  ])('%j is wrong usage', async (args, err) => {
    const { code, stdout, stderr } = await run(['call', ...args])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(err)
  })

  test('refuses input that is not valid UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('{"file_path":"a'), Buffer.from([0xff]), Buffer.from('.txt"}')])
    expect(await run(['call', 'Read', '-'], { input: bytes })).toEqual({
      code: 2,
      stdout: '',
      stderr: 'haft: the input is not valid UTF-8; convert it to UTF-8.\n',
    })
  })

  test('exits with the code of a denied permission if a hook denies the call', async () => {
    const hook = { type: 'command', command: 'echo "not this file" >&2; exit 2' }
    await writeSettings({ hooks: { PreToolUse: [{ matcher: '*', hooks: [hook] }] } })
    expect(await run(['call', 'Read', '{"file_path":"a.txt"}', '--trust'])).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('not this file'),
    })
  })

  test('applies the rules of the command line, including commas inside parentheses', async () => {
    const args = ['call', 'Bash', '{"command":"echo a,b"}', '--allowed-tools', 'Write Bash(echo a,b),Edit']
    expect(await run(args)).toEqual({ code: 0, stdout: 'a,b\n', stderr: '' })
  })

  test('does not start in bypass mode as root outside a sandbox', async () => {
    const args = ['call', 'Bash', '{"command":"echo free"}', '--permission-mode', 'bypassPermissions']
    const isRoot = process.getuid?.() === 0
    expect(await run(args)).toMatchObject(isRoot ? { code: 2, stderr: expect.stringMatching(/as root/) } : { code: 0 })
    expect(await run(args, { variables: { HAFT_SANDBOX: '1' } })).toMatchObject({ code: 0, stdout: 'free\n' })
  })

  testWithProgram('script', 'bsdutils')('asks in the terminal and saves the rule that it showed', async () => {
    const command = `${process.execPath} ${mainPath} call Write '{"file_path":"n.txt","content":"new"}' --trust`
    const ask = async (choice: string) => {
      const child = new TerminalSession(command, { cwd: project, home })
      await child.waitForText('Answer 1 to 4: ')
      child.type(`${choice}\n`)
      return child
    }
    const settingsFile = join(project, '.haft', 'settings.local.json')

    const refusedOutcome = await ask('4')
    await refusedOutcome.waitForText('What should the model do instead? ')
    refusedOutcome.type('use the other file\n')
    expect(await refusedOutcome.ended).toMatchObject({
      code: 3,
      text: expect.stringContaining('They said: use the other file'),
    })

    const allowedRun = await ask('2')
    const { code, text } = await allowedRun.ended
    expect({ code, text }).toMatchObject({
      code: 0,
      text: expect.stringContaining(`always (save Edit(/n.txt) to ${settingsFile})`),
    })
    expect(JSON.parse(await readFile(settingsFile, 'utf8'))).toEqual({ permissions: { allow: ['Edit(/n.txt)'] } })
    expect(await readFile(join(project, 'n.txt'), 'utf8')).toBe('new')
  })
})

describe('haft run', () => {
  test('answers a call while more calls may follow', async () => {
    const process = start('run')
    process.send(read('1', 'a.txt'))
    expect(await process.next()).toEqual(createResult('1', 'alpha\n'))
    process.send('not JSON')
    expect(await process.next()).toMatchObject({ type: 'error', line: 2 })
    process.send(read('2', 'b.txt'))
    expect(await process.next()).toEqual(createResult('2', 'beta\n'))
    expect(await process.finish()).toEqual({ code: 1, lines: [], stderr: '' })
  })

  test('returns the results of a message in the order of its calls', async () => {
    const slowPipe = await createFifo('slow')
    const process = start('run', '--events')
    process.send(read('1', 'slow'), read('2', 'a.txt'))
    const linesBefore: Line[] = []
    do linesBefore.push(await process.next())
    while (linesBefore.at(-1)?.event !== 'call-ended')
    expect(linesBefore.at(-1)).toMatchObject({ toolUseId: '2' })

    await writeFile(slowPipe, 'late')
    const { lines: linesAfter, code } = await process.finish()
    const results = [...linesBefore, ...linesAfter].filter(({ type }) => type === 'tool_result')
    expect({ code, results }).toEqual({ code: 0, results: [createResult('1', 'late'), createResult('2', 'alpha\n')] })
  })

  test('starts a message when the previous one has ended', async () => {
    const slowPipe = await createFifo('slow')
    const process = start('run', '--events', '--permission-mode', 'acceptEdits')
    process.send([read('1', 'slow')], [use('2', 'Write', { file_path: 'n', content: 'x' }), read('3', 'n')])
    process.send(read('4', 'a.txt'), {
      role: 'assistant',
      content: [{ type: 'text', text: 'Now:' }, read('5', 'b.txt')],
    })
    process.send(read('6', 'a.txt'), ' ', '', read('7', 'a.txt'))
    await writeFile(slowPipe, 'late')
    const { lines: all, code } = await process.finish()
    const order = all.filter(({ event }) => event === 'call-queued' || event === 'call-ended')
    expect(code).toBe(0)
    expect(all.filter(({ type }) => type === 'tool_result').map((line) => line.tool_use_id)).toEqual([...'1234567'])
    expect(order.map(({ event, toolUseId, messageNumber }) => `${messageNumber} ${toolUseId} ${event}`)).toEqual([
      ...[
        '1 1 call-queued',
        '1 1 call-ended',
        '2 2 call-queued',
        '2 3 call-queued',
        '2 2 call-ended',
        '2 3 call-ended',
      ],
      ...['3 4 call-queued', '3 4 call-ended', '4 5 call-queued', '4 5 call-ended'],
      ...['5 6 call-queued', '5 6 call-ended', '6 7 call-queued', '6 7 call-ended'],
    ])
  })

  test('returns an error for a line that cannot be run, and runs the rest', async () => {
    const { code, stdout } = await run(['run'], {
      input: toInput(
        ...[
          read('1', 'a.txt'),
          '{',
          { type: 'text', text: 'x' },
          read('1', 'b.txt'),
          { type: 'tool_use', name: 'Read' },
        ],
        ...[[read('2', 'b.txt'), read('2', 'a.txt'), { id: '9' }], '{"role":"assistant","content":"no call"}', '[]'],
        { ...read('3', 'a.txt'), name: undefined },
      ),
    })
    expect(code).toBe(1)
    expect(parseLines(stdout)).toEqual([
      createResult('1', 'alpha\n'),
      { type: 'error', line: 2, message: expect.stringContaining('line 2 is not JSON') },
      { type: 'error', line: 3, message: expect.stringContaining('line 3 is neither a tool_use block') },
      { type: 'error', line: 4, message: 'line 4 reuses the id "1"' },
      { type: 'error', line: 5, message: 'line 5 contains a tool_use block without id' },
      createResult('2', 'beta\n'),
      { type: 'error', line: 6, message: 'line 6 reuses the id "2"' },
      { type: 'error', line: 6, message: 'line 6 contains a block that is not a tool_use block' },
      { type: 'error', line: 9, message: 'line 9 contains a tool_use block without name, "3"' },
    ])
  })

  test('never asks, and returns tool errors as results', async () => {
    const { code, stdout } = await run(['run'], {
      input: toInput(use('1', 'Write', { file_path: 'n', content: '' }), read('2', 'none'), use('3', 'Nope', {})),
    })
    expect(code).toBe(0)
    expect(parseLines(stdout)).toEqual([
      { ...createResult('1', expect.stringContaining('There is no user to ask') as never), is_error: true },
      { ...createResult('2', expect.stringContaining('ENOENT') as never), is_error: true },
      { ...createResult('3', expect.stringContaining('There is no tool "Nope"') as never), is_error: true },
    ])
  })

  test('keeps a message within its budget and writes the excess to files that can be read without approval', async () => {
    const process = start('run', '--allowed-tools', 'Bash')
    const command = "head -c 29000 /dev/zero | tr '\\0' x"
    process.send(Array.from({ length: 11 }, (_, index) => use(`b${index}`, 'Bash', { command })))
    const contents: string[] = []
    for (let index = 0; index < 11; index++) contents.push(String((await process.next()).content))

    const previews = contents.filter((content) => content.length < 29_000)
    expect(contents.join('').length).toBeLessThanOrEqual(200_000)
    expect(previews.length).toBeGreaterThanOrEqual(5)
    for (const preview of previews) {
      const [path] = /\/\S+\.txt/.exec(preview) ?? []
      expect(await readFile(path ?? '', 'utf8')).toBe('x'.repeat(29_000))
      process.send([read(`r${path}`, path ?? '')])
      expect(await process.next()).toEqual(createResult(`r${path}`, 'x'.repeat(29_000)))
    }
    expect(await process.finish()).toEqual({ code: 0, lines: [], stderr: '' })
  })

  test('handles invalid UTF-8, a huge line and empty input', async () => {
    const hugeLine = Buffer.from(
      JSON.stringify(use('1', 'Write', { file_path: 'n', content: 'y'.repeat(100_000_000) })),
    )
    const nextLine = Buffer.from(`\n${JSON.stringify(read('2', 'a.txt'))}`)
    const { code, stdout } = await run(['run', '--allowed-tools', 'Write'], {
      input: Buffer.concat([hugeLine, Buffer.from('\n\xff\xfe', 'latin1'), nextLine]),
    })
    expect(code).toBe(1)
    expect(parseLines(stdout)).toEqual([
      createResult('1', 'Wrote 100000000 characters to n.'),
      { type: 'error', line: 2, message: 'line 2 is not valid UTF-8' },
      createResult('2', 'alpha\n'),
    ])
    expect(await run(['run'], { input: '' })).toEqual({ code: 0, stdout: '', stderr: '' })
    const closedInputRun = promisify(execFile)(
      '/bin/sh',
      ['-c', `exec "$0" "$1" run <&-`, process.execPath, mainPath],
      {
        cwd: project,
      },
    )
    expect(await closedInputRun).toEqual({ stdout: '', stderr: '' })
  })

  test('reads a file; an unreadable file is wrong usage', async () => {
    await writeFile(join(project, 'calls.jsonl'), toInput(read('1', 'a.txt')))
    expect(await run(['run', 'calls.jsonl'])).toEqual({
      code: 0,
      stdout: toInput(createResult('1', 'alpha\n')),
      stderr: '',
    })
    expect(await run(['run', 'none'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^haft: cannot read none: .*\n$/),
    })
    expect(await run(['run', 'a', 'b'])).toMatchObject({ code: 2, stdout: '' })
  })

  test('exits silently when the output is closed', async () => {
    const process = start('run')
    process.child.stdout.destroy()
    process.send(read('1', 'a.txt'))
    expect([await process.exited, process.stderr]).toEqual([0, ''])
  })

  test('answers running calls and leaves no process after Ctrl-C', async () => {
    const pids = await createFifo('pids')
    const process = start('run', '--allowed-tools', 'Bash')
    process.send(use('1', 'Bash', { command: `sleep 1000 & echo $$ $! | dd of=${pids} status=none; wait` }))
    const runningPids = (await readFile(pids, 'utf8')).trim().split(' ').map(Number)
    expect(runningPids.map(isAlive)).toEqual([true, true])

    process.child.kill('SIGINT')
    expect(await process.next()).toMatchObject({ tool_use_id: '1', is_error: true })
    expect(await process.exited).toBe(130)
    expect(runningPids.map(isAlive)).toEqual([false, false])
  })

  test('stops waiting for a pipe with a silent writer after Ctrl-C', async () => {
    const calls = await createFifo('calls')
    const process = start('run', calls)
    onTestFinished(() => void process.child.kill('SIGKILL'))
    const writer = await open(calls, 'w')
    await writer.write(toInput(read('1', 'a.txt')))
    expect(await process.next()).toEqual(createResult('1', 'alpha\n'))

    process.child.kill('SIGINT')

    expect(await process.exited).toBe(130)
    await writer.close()
  })

  test.runIf(process.platform === 'linux')('stops waiting for a pipe without a writer after Ctrl-C', async () => {
    const process = start('run', await createFifo('calls'))
    onTestFinished(() => void process.child.kill('SIGKILL'))
    await waitForSignalHandlers(process.child.pid)

    process.child.kill('SIGINT')

    expect(await process.exited).toBe(130)
  })

  test('reads calls from a pipe to its end', async () => {
    const calls = await createFifo('calls')
    const pendingRun = run(['run', calls])
    await writeFile(calls, toInput(read('1', 'a.txt'), read('2', 'b.txt')))
    const { code, stdout } = await pendingRun
    expect({ code, results: parseLines(stdout) }).toEqual({
      code: 0,
      results: [createResult('1', 'alpha\n'), createResult('2', 'beta\n')],
    })
  })

  test.each([['run'], ['call', 'Read', '-'], ['permissions', 'check', '--jsonl']])(
    'and other commands refuse a folder as standard input: %s',
    async (...args) => {
      const child = promisify(execFile)('sh', ['-c', 'exec "$0" "$@" < /', process.execPath, mainPath, ...args], {
        cwd: project,
        env: { PATH: process.env.PATH, HOME: home },
      })
      expect(await child.catch((error) => error)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: 'haft: cannot read standard input: it is a folder. Use a file or a pipe.\n',
      })
    },
  )

  test('ends a hook that hangs when it receives a termination signal', async () => {
    const pids = await createFifo('pids')
    const hook = { type: 'command', command: `echo $$ > ${pids}; sleep 1000` }
    await writeSettings({ hooks: { PreToolUse: [{ matcher: '*', hooks: [hook] }] } })
    const process = start('run', '--trust')
    process.send(read('1', 'a.txt'))
    const pid = Number(await readFile(pids, 'utf8'))
    expect(isAlive(pid)).toBe(true)

    process.child.kill('SIGTERM')
    expect(await process.exited).toBe(130)
    expect(isAlive(pid)).toBe(false)
  })
})

describe('haft replay', () => {
  test('draws the same timeline for the same file', async () => {
    const calls = toInput([read('1', 'a.txt'), read('2', 'none')], [use('3', 'Write', { file_path: 'n', content: '' })])
    const { stdout } = await run(['run', '--events'], { input: calls })
    await writeFile(join(project, 'events.jsonl'), stdout)

    const first = await run(['replay', 'events.jsonl'])
    expect(first).toMatchObject({ code: 0, stderr: '' })
    for (const part of ['Read a.txt', 'Message 2 · 1 call', 'tool_failed', 'permission_needed', '6 chars'])
      expect(first.stdout).toContain(part)
    expect(await run(['replay', 'events.jsonl'])).toEqual(first)
    expect(await run(['replay', '-'], { input: stdout })).toEqual(first)
  })

  test('skips invalid lines and reports them in one line', async () => {
    const queuedLine = { type: 'event', event: 'call-queued', toolUseId: '1', toolName: 'Read', at: 5 }
    const { code, stdout, stderr } = await run(['replay', '-'], {
      input: toInput('{', queuedLine, '5', { ...queuedLine, at: 'x' }),
    })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'haft: -: skipped malformed lines: line 1 is not JSON; line 3 is not an object; line 4 is an event without a time.\n',
    })
    expect(stdout).toMatch(/^Read .*\|>/m)
  })
})
