import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ShellRequest } from '../../contract/ports/shell.js'
import { Spill } from '../../results/spill.js'
import { isAlive } from '../../testing/running-processes.js'
import { openTestShell, type TestShell } from '../../testing/test-shell.js'
import { testWithProgram } from '../../testing/test-with-program.js'

let shell: TestShell

beforeEach(() => {
  shell = openTestShell((directory) => (id) => new Spill({ directory, id }))
})

afterEach(() => shell.close())

/** Runs a command that must end before its time limit without leaving a process. */
async function runToEnd(command: string, changes: Partial<ShellRequest> = {}): Promise<[number | null, string]> {
  const { exitCode, output, timedOut } = await shell.run(command, changes)
  expect(shell.findRunningPids()).toEqual([])
  expect(timedOut).toBe(false)
  expect(output.receivedBytes).toBe(output.keptBytes)
  return [exitCode, output.text]
}

describe('without a terminal', () => {
  test('a program that reads its input receives an empty input', async () => {
    expect(await runToEnd('cat; read line; echo "$?"')).toEqual([0, '1\n'])
  })

  testWithProgram('less')('a pager prints everything without waiting', async () => {
    const lines = `${Array.from({ length: 500 }, (_, index) => index + 1).join('\n')}\n`

    expect(await runToEnd('seq 500 >file; less file')).toEqual([0, lines])
    expect(await runToEnd('seq 500 | less')).toEqual([0, lines])
    expect(await runToEnd('seq 500 | $PAGER')).toEqual([0, lines])
  })

  testWithProgram('git')('a pager of git prints everything without waiting', async () => {
    const commit = 'git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one'

    const [exitCode, text] = await runToEnd(
      `git init -q . && ${commit} && git -c core.pager='less -+F' -c pager.log=true --paginate log --format=%s`,
    )

    expect([exitCode, text]).toEqual([0, 'one\n'])
  })

  testWithProgram('git')('the editor of a commit without a message fails with an explanation', async () => {
    const [exitCode, text] = await runToEnd(
      'git init -q . && touch a && git add a && git -c user.name=a -c user.email=a@b commit; echo $?; git log',
    )

    expect(exitCode).toBe(128)
    expect(text).toMatch(/No editor is available: .* -m .*\n[\s\S]*\n1\nfatal: .* does not have any commits/)
  })

  testWithProgram('vi', 'vim')('an editor quits after its commands', async () => {
    writeFileSync(join(shell.folder, 'file'), 'a\n')

    expect((await runToEnd('vi file'))[0]).toBe(1)
    expect((await runToEnd('vi file', { environment: { HOME: '/proc' } }))[0]).toBe(1)
    expect((await runToEnd("vi -c 's/a/b/' -c wq file"))[0]).toBe(0)
    expect(readFileSync(join(shell.folder, 'file'), 'utf8')).toBe('b\n')
  })

  test('a question on the terminal fails', async () => {
    const [exitCode, text] = await runToEnd('read -s -r secret </dev/tty; echo "got $?"')

    expect(exitCode).toBe(0)
    expect(text).toMatch(/\/dev\/tty: No such device or address\ngot 1\n$/)
  })

  testWithProgram('python3')('a password prompt fails', async () => {
    const [exitCode, text] = await runToEnd('python3 -W ignore -c "import getpass; getpass.getpass()"')

    expect(exitCode).toBe(1)
    expect(text).toMatch(/EOFError/)
  })

  testWithProgram('git')('git fails instead of prompting for a user name', async () => {
    const serverFile = join(shell.folder, 'server.py')
    writeFileSync(
      serverFile,
      `import http.server, subprocess, sys, threading
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(401)
        self.send_header('WWW-Authenticate', 'Basic realm="x"')
        self.end_headers()
    def log_message(self, *args): pass
server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.exit(subprocess.run(['git', 'ls-remote', f'http://127.0.0.1:{server.server_port}/x']).returncode)`,
    )

    const [exitCode, text] = await runToEnd('python3 server.py')

    expect(exitCode).toBe(128)
    expect(text).toMatch(/terminal prompts disabled/)
  })
})

describe('when a command ends', () => {
  test('a background process that holds the output is ended', async () => {
    expect(await runToEnd('sleep 1000 & echo done')).toEqual([0, 'done\n'])
  })

  test('several background processes are ended, and their number is reported', async () => {
    expect(await shell.run('sleep 1000 & sleep 1000 >/dev/null & echo done')).toMatchObject({ killedProcessCount: 2 })
    expect(await shell.run('sleep 1000', { timeoutMs: 200 })).not.toHaveProperty('killedProcessCount')
    expect(await shell.run('true | cat; sleep 0.01 & wait; echo > >(cat); wait $!')).not.toHaveProperty(
      'killedProcessCount',
    )
  })

  test('a background process that does not hold the output is ended', async () => {
    expect(await runToEnd('sleep 1000 >/dev/null 2>&1 & exit 3')).toEqual([3, ''])
  })

  testWithProgram('setsid', 'util-linux')('a daemon in its own session is ended', async () => {
    const daemonCommand = 'setsid sh -c "setsid sleep 1000 & setsid sleep 1000 >/dev/null 2>&1 &" & wait; echo done'

    expect(await runToEnd(daemonCommand)).toEqual([0, 'done\n'])
  })

  testWithProgram('python3')('a daemon that forked twice is ended', async () => {
    const daemonCommand = [
      'import os, time',
      'if os.fork(): os._exit(0)',
      'os.setsid()',
      'if os.fork(): os._exit(0)',
      'open("pid", "w").write(str(os.getpid()))',
      'time.sleep(1000)',
    ].join('\n')
    writeFileSync(join(shell.folder, 'daemon.py'), daemonCommand)

    expect(await runToEnd('python3 daemon.py; until [ -s pid ]; do :; done; echo up')).toEqual([0, 'up\n'])
    expect(isAlive(Number(readFileSync(join(shell.folder, 'pid'), 'utf8')))).toBe(false)
  })

  test('a process that cleared its environment but stayed in the session is ended', async () => {
    await runToEnd('set -m; env -i sleep 1000 >/dev/null 2>&1 & echo $! >pid')

    expect(isAlive(Number(readFileSync(join(shell.folder, 'pid'), 'utf8')))).toBe(false)
  })

  testWithProgram('setsid', 'util-linux')(
    'a process that cleared its environment is ended if it is in the session of a marked process',
    async () => {
      await runToEnd(
        `setsid bash -c 'env -i sleep 1000 & echo $! >pid; wait' >/dev/null 2>&1 & until [ -s pid ]; do :; done`,
      )

      expect(isAlive(Number(readFileSync(join(shell.folder, 'pid'), 'utf8')))).toBe(false)
    },
  )

  test('a process that ignores SIGTERM is killed', async () => {
    const outcome = await shell.run(`trap '' TERM; while :; do sleep 1; done`, { timeoutMs: 50 })

    expect(outcome).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: true })
    expect(shell.findRunningPids()).toEqual([])
  })

  test('a process that stopped itself is ended', async () => {
    const outcome = await shell.run('kill -STOP $$', { timeoutMs: 50 })

    expect(outcome).toMatchObject({ exitCode: null, signal: 'SIGTERM', timedOut: true })
    expect(shell.findRunningPids()).toEqual([])
  })

  testWithProgram('setsid', 'util-linux')('processes that were in the middle of exec are ended', async () => {
    for (let runCount = 0; runCount < 40; runCount++) await shell.run('setsid sleep 1000 >/dev/null 2>&1 & exit 0')

    expect(shell.findRunningPids()).toEqual([])
  })

  test('a process that forks continuously is ended', async () => {
    const outcome = await shell.run('f() { sleep 0.01; f & }; f & f & f & wait; sleep 1000', { timeoutMs: 100 })

    expect(outcome.timedOut).toBe(true)
    expect(shell.findRunningPids()).toEqual([])
  })
})

testWithProgram('setsid', 'util-linux')(
  'a command does not wait for an unmarked daemon that prints endlessly',
  async () => {
    const command = `env -i PATH="$PATH" setsid bash -c 'echo $$ >pid; exec yes' & until [ -s pid ]; do :; done`

    const { exitCode } = await shell.run(command)

    const daemonPid = Number(readFileSync(join(shell.folder, 'pid'), 'utf8'))
    if (isAlive(daemonPid)) process.kill(daemonPid, 'SIGKILL')
    expect(exitCode).toBe(0)
  },
)

describe('ending a running command', () => {
  /** Raises the time limit until the command printed something before it, because a loaded machine starts it slowly. */
  async function runUntilLimit(command: string) {
    for (let timeoutMs = 1_000; ; timeoutMs *= 4) {
      const outcome = await shell.run(command, { timeoutMs })
      if (outcome.output.text !== '' || timeoutMs > 60_000) return outcome
    }
  }

  test('keeps the output so far at the time limit', async () => {
    const outcome = await runUntilLimit('echo before; sleep 1000; echo after')

    expect(outcome).toMatchObject({ exitCode: null, signal: 'SIGTERM', timedOut: true, output: { text: 'before\n' } })
    expect(shell.findRunningPids()).toEqual([])
  })

  test('keeps the output so far after an abort', async () => {
    const controller = new AbortController()

    const outcome = await shell.run(
      'echo before; sleep 1000 & sleep 1000',
      {},
      {
        signal: controller.signal,
        onOutput: () => controller.abort(),
      },
    )

    // The load of the machine decides which of the two signals it is.
    const signal = expect.stringMatching(/^SIG(TERM|KILL)$/)
    expect(outcome).toMatchObject({ exitCode: null, signal, timedOut: false, output: { text: 'before\n' } })
    expect(shell.findRunningPids()).toEqual([])
  })

  test('lets the command run its own clean-up', async () => {
    const outcome = await runUntilLimit(`trap 'echo cleaned; exit 4' TERM; echo up; while :; do sleep 0.01; done`)

    expect(outcome).toMatchObject({
      exitCode: 4,
      timedOut: true,
      output: { text: expect.stringMatching(/cleaned\n$/) },
    })
  })

  test('keeps the output so far when the port is closed', async () => {
    let closed: Promise<void> | undefined

    const outcome = await shell.run(
      'echo up; sleep 1000',
      {},
      {
        onOutput: () => {
          closed = shell.port.dispose()
        },
      },
    )

    await closed
    expect(outcome).toMatchObject({ signal: 'SIGTERM', output: { text: 'up\n' } })
    expect(shell.findRunningPids()).toEqual([])
  })
})

describe('the output of a command', () => {
  const MEGABYTE = 1024 ** 2

  test('causes the command to be stopped when it exceeds the limit', async () => {
    const cappedShell = openTestShell((directory) => (id) => new Spill({ directory, id, maxBytes: 3 * MEGABYTE }))

    const { output, signal, timedOut } = await cappedShell.run('yes')

    expect(output).toMatchObject({ keptBytes: 3 * MEGABYTE, isCut: true })
    expect(output.text).toMatch(/the first 3,145,728 bytes are in .*, the rest exceeded the limit/)
    expect([signal, timedOut]).toEqual(['SIGTERM', false])
    expect(cappedShell.findRunningPids()).toEqual([])
    await cappedShell.close()
  })

  test('is counted exactly for 200 MB, in bounded memory', async () => {
    const memoryBefore = process.memoryUsage().rss

    const { output } = await shell.run(`head -c ${200 * MEGABYTE + 1} /dev/zero`)

    expect(output).toMatchObject({ receivedBytes: 200 * MEGABYTE + 1, keptBytes: 200 * MEGABYTE + 1, isCut: false })
    expect(process.memoryUsage().rss - memoryBefore).toBeLessThan(100 * MEGABYTE)
  })

  test.runIf(process.env.HAFT_LONG_TESTS)(
    'is counted exactly for a gigabyte, in bounded memory',
    async () => {
      const memoryBefore = process.memoryUsage().rss

      const { output } = await shell.run('head -c 1G /dev/zero')

      expect(output).toMatchObject({ receivedBytes: 1024 ** 3, keptBytes: 1024 ** 3, isCut: false })
      expect(process.memoryUsage().rss - memoryBefore).toBeLessThan(100 * MEGABYTE)
    },
    120_000,
  )

  test('is counted in bytes and decoded with replacement characters if it is not valid UTF-8', async () => {
    const { output } = await shell.run(`printf 'a\\0b\\377\\033[31mred\\033[0m\\r\\n\\303'`)

    expect(output).toEqual({
      text: 'a\0b\uFFFD\x1b[31mred\x1b[0m\r\n\uFFFD',
      receivedBytes: 19,
      keptBytes: 19,
      isCut: false,
    })
  })
})
