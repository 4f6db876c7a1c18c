import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Spill } from '../../results/spill.js'
import { openTestShell, type TestShell } from '../../testing/test-shell.js'
import { testWithProgram } from '../../testing/test-with-program.js'
import type { ConfinePort } from './confinement.js'

const openSpills = (directory: string) => (id: string) => new Spill({ directory, id })

let shell: TestShell

beforeEach(() => {
  shell = openTestShell(openSpills)
})

afterEach(async () => {
  await shell.close()
  expect(shell.findRunningPids()).toEqual([])
})

async function runForOutput(command: string): Promise<string> {
  return (await shell.run(command)).output.text
}

describe('a command', () => {
  test('returns its output, its exit code and its final folder', async () => {
    expect(await shell.run('echo hello')).toEqual({
      exitCode: 0,
      signal: null,
      timedOut: false,
      cwd: shell.folder,
      output: { text: 'hello\n', receivedBytes: 6, keptBytes: 6, isCut: false },
      confinement: 'none',
      refusals: [],
    })
  })

  test('has the output of both streams in the order of printing', async () => {
    expect(await runForOutput('for i in 1 2 3; do echo out$i; echo err$i >&2; done')).toBe(
      'out1\nerr1\nout2\nerr2\nout3\nerr3\n',
    )
  })

  test('may open its streams by path', async () => {
    expect(await runForOutput('echo a >/dev/stderr; echo b | tee /dev/stderr; echo c >/dev/stdout')).toBe(
      'a\nb\nb\nc\n',
    )
  })

  test('is passed to bash without further quoting', async () => {
    expect(await runForOutput(`echo "it's \\"\${HOME:+so}\\"" '$x' \`echo back\`; cat <<'E'\n$a 'b'\nE`)).toBe(
      `it's "so" $x back\n$a 'b'\n`,
    )
  })

  test('may contain any characters, whatever the locale', async () => {
    const command = "echo 'ä€😀\\n'"

    expect((await shell.run(command, { environment: { LC_ALL: 'C' } })).output.text).toBe('ä€😀\\n\n')
    expect((await shell.run(command, { environment: { LC_ALL: 'C.UTF-8' } })).output.text).toBe('ä€😀\\n\n')
  })

  test('may be megabytes long', async () => {
    const line = 'x'.repeat(3_000_000)

    const { output, exitCode } = await shell.run(`# ${line}\nprintf %s ${line} | wc -c; exit 4`)

    expect([output.text.trim(), exitCode]).toEqual(['3000000', 4])
  })

  test('is refused if it contains a NUL, because a shell would run only a part of it', async () => {
    await expect(shell.run('echo a\0; echo b')).rejects.toMatchObject({ code: 'input_refused' })
  })

  test('fails with the message of bash if it has a syntax error', async () => {
    const { exitCode, output } = await shell.run('if fi')

    expect(exitCode).not.toBe(0)
    expect(output.text).toMatch(/syntax error/)
  })

  test('reports the signal that ended it', async () => {
    expect(await shell.run('kill -SEGV $$')).toMatchObject({ exitCode: null, signal: 'SIGSEGV' })
  })

  test('has the exit code of the failing program', async () => {
    expect((await shell.run('false')).exitCode).toBe(1)
    expect((await shell.run('no-such-program')).exitCode).toBe(127)
    expect((await shell.run('set -e; (exit 7); echo no')).exitCode).toBe(7)
    expect((await shell.run('trap "exit 9" EXIT; exit 3')).exitCode).toBe(9)
    expect((await shell.run('trap "true" EXIT; (exit 5)')).exitCode).toBe(5)
  })

  test('can run many times concurrently', async () => {
    const numbers = Array.from({ length: 50 }, (_, number) => number)

    const outcomes = await Promise.all(numbers.map((number) => shell.run(`echo ${number}; exit ${number}`)))

    expect(outcomes.map(({ exitCode, output }) => [exitCode, output.text])).toEqual(
      numbers.map((number) => [number, `${number}\n`]),
    )
  })

  test('reports its output while it runs', async () => {
    const receivedChunks: Uint8Array[] = []

    await shell.run(
      'echo one; mkfifo p; (sleep 0; echo >p) & read x <p; echo two',
      {},
      {
        onOutput: (chunk) => receivedChunks.push(chunk),
      },
    )

    expect(Buffer.concat(receivedChunks).toString()).toBe('one\ntwo\n')
  })

  test('continues if the output listener throws', async () => {
    const onOutput = (): void => {
      throw new Error('no')
    }

    expect((await shell.run('echo one; echo two', {}, { onOutput })).output.text).toBe('one\ntwo\n')
  })

  test('is not started if it was already cancelled', async () => {
    await expect(shell.run('touch started', {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'cancelled',
    })
    expect(await runForOutput('ls')).toBe('')
  })

  test('cannot be run in a missing folder', async () => {
    writeFileSync(join(shell.folder, 'file'), '')

    await expect(shell.run('echo', { cwd: join(shell.folder, 'gone') })).rejects.toMatchObject({
      code: 'tool_failed',
      message: expect.stringMatching(/^The working directory ".*gone" does not exist\.$/),
    })
    await expect(shell.run('echo', { cwd: join(shell.folder, 'file') })).rejects.toThrow(/is not a folder/)
  })

  test('cannot be run without bash', async () => {
    const bareShell = openTestShell(openSpills, { environment: { PATH: shell.folder } })

    await expect(bareShell.run('echo')).rejects.toMatchObject({
      code: 'unavailable',
      message: 'bash is not installed or not on PATH.',
    })
    await bareShell.close()
  })

  test.each<[string, [number, string]]>([
    ['rmdir sub', [0, '']],
    ['no-such-program-here', [127, 'bash: line 1: no-such-program-here: command not found\n']],
    ['./sub', [126, 'bash: line 1: ./sub: Is a directory\n']],
    ['./killed-by-signal', [139, '']],
    ['./without-shebang', [0, 'sub\n']],
    ['./parent', [0, 'bash\n']],
  ])('has the same result as in bash, and runs as its child: %s', async (command, expected) => {
    mkdirSync(join(shell.folder, 'sub'))
    const write = (name: string, text: string) => writeFileSync(join(shell.folder, name), text, { mode: 0o755 })
    write('killed-by-signal', '#!/bin/sh\nkill -SEGV $$\n')
    write('without-shebang', 'cd sub; basename "$PWD"\n')
    write('parent', '#!/bin/sh\nread -r name < /proc/$PPID/comm; echo "$name"\n')

    const { cwd, exitCode, signal, output } = await shell.run(command, {
      confinement: 'read-only',
      isAllowedByRule: true,
    })

    expect([exitCode, output.text.replace(/^.*Segmentation fault.*\n/, '')]).toEqual(expected)
    expect([cwd, signal]).toEqual([shell.folder, null])
  })

  test('ends with the signal that its child sends to the shell', async () => {
    expect((await shell.run('sh -c "kill -TERM $$"; true')).signal).toBe('SIGTERM')
  })

  test('is refused once the port is closed', async () => {
    const closedShell = openTestShell(openSpills)
    await closedShell.close()

    await expect(closedShell.run('echo')).rejects.toMatchObject({ code: 'unavailable' })
  })
})

describe('the environment of a command', () => {
  test('contains the variables of the host and of the call', async () => {
    const { output } = await shell.run('echo "$HAFT_TEST_RUN" "$ASKED"', { environment: { ASKED: 'yes' } })

    expect(output.text).toMatch(/^[0-9a-f-]{36} yes\n$/)
  })

  test('excludes start-up files, functions and options of the user', async () => {
    const file = join(shell.folder, 'rc')
    writeFileSync(file, 'echo from rc')
    const hostileShell = openTestShell(openSpills, {
      environment: {
        ...process.env,
        BASH_ENV: file,
        ENV: file,
        SHELLOPTS: 'xtrace',
        'BASH_FUNC_ls%%': '() { echo mine; }',
        CDPATH: '/',
      },
    })

    expect((await hostileShell.run('ls; mkdir usr; cd usr')).output.text).toBe('')
    await hostileShell.close()
  })

  test('contains no helper variables, functions or descriptors of the shell port', async () => {
    expect(
      await runForOutput(
        'echo $# "$0"; [[ -e /proc/$$/fd/3 || -e /proc/$$/fd/4 ]] && echo open; compgen -A function; echo "$BASH_ENV$ENV"',
      ),
    ).toBe('0 bash\n\n')
    expect(await runForOutput('set -x; cd /; false')).toBe('++ cd /\n++ false\n')
  })

  test('contains the marks of both processes if one Haft runs inside another', async () => {
    const innerShell = openTestShell(openSpills, { environment: { ...process.env, HAFT_MARK: 'outer.1;' } })

    expect((await innerShell.run('echo "$HAFT_MARK"')).output.text).toMatch(/^outer\.1;[0-9a-f-]{36}\.1;\n$/)
    await innerShell.close()
  })
})

describe('PowerShell', () => {
  test('gets the command as one argument, without a profile and non-interactively', async () => {
    const bin = join(shell.folder, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'pwsh'), '#!/bin/sh\nprintf "[%s]" "$@"; cat; exit 3\n')
    chmodSync(join(bin, 'pwsh'), 0o755)
    const windows = openTestShell(openSpills, { environment: { PATH: `${bin}:${process.env.PATH}` } })

    const { output, exitCode } = await windows.run('Get-Item "a b"; $x', { shell: 'powershell' })

    expect([output.text, exitCode]).toEqual(['[-NoProfile][-NonInteractive][-Command][Get-Item "a b"; $x]', 3])
    await expect(windows.run('x'.repeat(200_000), { shell: 'powershell' })).rejects.toThrow(/longer than 100000 bytes/)
    await windows.close()
  })

  test('is named in the error if it is not installed', async () => {
    const bareShell = openTestShell(openSpills, { environment: { PATH: shell.folder } })

    await expect(bareShell.run('Get-Item', { shell: 'powershell' })).rejects.toThrow(/^pwsh is not installed/)
    await bareShell.close()
  })
})

describe('a sandbox', () => {
  test('prefixes the command, adds variables, explains refusals and is released at the end', async () => {
    const calls: unknown[] = []
    const sandbox: ConfinePort = {
      confine: ({ confinement, cwd }) => {
        calls.push([confinement, cwd])
        return {
          argvPrefix: ['env', 'HELD=yes'],
          environment: { PROXY: 'here' },
          confinement: 'workspace',
          explain: ({ output, exitCode }) => [`${output}${exitCode}`],
          release: () => void calls.push('released'),
        }
      },
      status: () => ({ isAvailable: true, reason: 'env', byDefault: 'workspace' }),
    }
    const confinedShell = openTestShell(openSpills, { sandbox })

    const outcome = await confinedShell.run('echo $HELD $PROXY; cd /; exit 2', { confinement: 'read-only' })

    expect(outcome).toMatchObject({ exitCode: 2, cwd: '/', confinement: 'workspace', refusals: ['yes here\n2'] })
    expect(calls).toEqual([['read-only', confinedShell.folder], 'released'])
    expect(await confinedShell.port.confinement()).toEqual({ isAvailable: true, reason: 'env', byDefault: 'workspace' })
    await confinedShell.close()
  })

  testWithProgram('bwrap', 'bubblewrap')('with bubblewrap does not change how the command runs', async () => {
    const bubblewrap = ['bwrap', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--unshare-pid']
    const confinedShell = openTestShell(openSpills, {
      sandbox: {
        confine: ({ cwd }) => ({
          argvPrefix: [...bubblewrap, '--die-with-parent', '--chdir', cwd, '--'],
          confinement: 'read-only',
          explain: () => [],
        }),
        status: () => ({ isAvailable: true, reason: 'bubblewrap', byDefault: 'read-only' }),
      },
    })

    const outcome = await confinedShell.run('echo $$ >here; echo out >/dev/stderr; setsid sleep 1000 & cd /usr; exit 3')

    expect(outcome).toMatchObject({ exitCode: 3, cwd: '/usr', confinement: 'read-only' })
    expect(outcome.output.text).toMatch(/here: Read-only file system\nout\n$/)
    expect(confinedShell.findRunningPids()).toEqual([])
    expect(await confinedShell.run('sleep 1000', { timeoutMs: 100 })).toMatchObject({ timedOut: true })
    expect(confinedShell.findRunningPids()).toEqual([])
    await confinedShell.close()
  })

  test('inherits the files that it needs, and no command starts if one is missing', async () => {
    const file = join(shell.folder, 'filter')
    writeFileSync(file, 'read by the sandbox\n')
    const prefix = {
      argvPrefix: ['sh', '-c', 'cat <&5; exec "$@"', 'sh'],
      confinement: 'none' as const,
      explain: () => [],
    }
    const openWith = (inheritedFile: string) =>
      openTestShell(openSpills, {
        sandbox: {
          confine: () => ({ ...prefix, inheritedFiles: [inheritedFile] }),
          status: () => ({ isAvailable: true, reason: 'sh', byDefault: 'none' }),
        },
      })
    const [confinedShell, brokenShell] = [openWith(file), openWith(join(shell.folder, 'missing'))]

    for (const _ of [1, 2]) expect((await confinedShell.run('echo ran')).output.text).toBe('read by the sandbox\nran\n')
    await expect(brokenShell.run('touch ran')).rejects.toThrow(/^A file that the sandbox needs is missing: /)
    expect(existsSync(join(brokenShell.folder, 'ran'))).toBe(false)
    await confinedShell.close()
    await brokenShell.close()
  })

  test('is released if the command cannot be started', async () => {
    let releaseCount = 0
    const confinedLaunch = {
      argvPrefix: ['no-such-sandbox'],
      confinement: 'none' as const,
      explain: () => [],
      release: () => void releaseCount++,
    }
    const confinedShell = openTestShell(openSpills, {
      sandbox: { confine: () => confinedLaunch, status: () => ({ isAvailable: false, reason: '', byDefault: 'none' }) },
    })

    await expect(confinedShell.run('echo')).rejects.toThrow(/^no-such-sandbox is not installed/)
    expect(releaseCount).toBe(1)
    await confinedShell.close()
  })

  test('is reported as unavailable if it is not configured', async () => {
    expect(await shell.port.confinement()).toEqual({ isAvailable: false, reason: 'no sandbox', byDefault: 'none' })
  })
})

describe('the output of a command', () => {
  test('is written to a file unchanged if it is long', async () => {
    const { output } = await shell.run('head -c 3000000 /dev/zero; printf "\\377\\376\\033[31mx"')

    expect(output).toMatchObject({ receivedBytes: 3_000_008, keptBytes: 3_000_008, isCut: false })
    const bytes = readFileSync(output.path ?? '')
    expect(bytes.subarray(0, 3_000_000).every((byte) => byte === 0)).toBe(true)
    expect(bytes.subarray(3_000_000)).toEqual(Buffer.from('\xff\xfe\x1b[31mx', 'latin1'))
  })

  test('is complete even if a child process outlives the command', async () => {
    expect(await runForOutput('seq 3 > >(sleep 0.02; cat)')).toBe('1\n2\n3\n')
  })

  test('is reported as an error if it cannot be stored', async () => {
    const brokenShell = openTestShell(() => () => ({
      isFull: false,
      write: () => Promise.reject(new Error('disk')),
      finish: async () => ({ text: '', receivedBytes: 0, keptBytes: 0, isCut: false }),
    }))

    await expect(brokenShell.run('yes')).rejects.toMatchObject({ code: 'result_lost' })
    expect(brokenShell.findRunningPids()).toEqual([])
    await brokenShell.close()
  })

  test('is complete even if it is stored slowly', async () => {
    let writtenBytes = 0
    let activeWrites = 0
    const slowShell = openTestShell(() => () => ({
      isFull: false,
      async write(chunk) {
        activeWrites++
        expect(activeWrites).toBe(1)
        await new Promise((resolve) => setImmediate(resolve))
        writtenBytes += chunk.length
        activeWrites--
      },
      finish: async () => ({ text: '', receivedBytes: writtenBytes, keptBytes: writtenBytes, isCut: false }),
    }))

    expect((await slowShell.run('head -c 5000000 /dev/zero')).output.receivedBytes).toBe(5_000_000)
    await slowShell.close()
  })
})

describe('a port that was warmed up', () => {
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  test('leaves no files if no command was run', async () => {
    vi.stubEnv('TMPDIR', shell.folder)
    shell.port.warmUp()

    await shell.port.dispose()

    expect(readdirSync(shell.folder)).toEqual([])
  })

  test('creates no files after it is closed', async () => {
    vi.stubEnv('TMPDIR', shell.folder)
    await shell.port.dispose()

    shell.port.warmUp()

    expect(readdirSync(shell.folder)).toEqual([])
  })

  test('runs commands with its prepared pipes', async () => {
    vi.stubEnv('TMPDIR', shell.folder)
    shell.port.warmUp()
    await expect.poll(() => readdirSync(shell.folder, { recursive: true }).length).toBeGreaterThan(1)

    expect(await runForOutput('echo ready')).toBe('ready\n')
  })
})
