import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findProcessesWith, isAlive, isSupervisor, waitUntil } from '../../testing/running-processes.js'
import { testWithProgram } from '../../testing/test-with-program.js'

const programFolder = mkdtempSync(join(tmpdir(), 'haft-host-program-'))
const program = join(programFolder, 'program.mjs')
let folder = ''

/** The program of a host that starts the given commands in the foreground or background and then waits. */
const HOST_SOURCE = `
  import { createShellPort } from ${JSON.stringify(join(import.meta.dirname, 'create-shell-port.ts'))}
  import { mkdtempSync, rmSync } from 'node:fs'
  import { tmpdir } from 'node:os'
  const [kind, cwd, ...commands] = process.argv.slice(2)
  const folder = mkdtempSync(tmpdir() + '/sandbox-')
  const confine = () => ({ argvPrefix: [], folder, confinement: 'none', explain: () => [] })
  const openOutput = () => ({
    isFull: false,
    write: async () => {},
    finish: async () => ({ text: '', receivedBytes: 0, keptBytes: 0, isCut: false }),
  })
  const port = createShellPort({ environment: process.env, openOutput, sandbox: { confine } })
  const { signal } = new AbortController()
  for (const [index, command] of commands.entries()) {
    const request = { id: String(index), command, cwd }
    if (kind === 'background') await port.start(request)
    else void port.run(request, { signal }).catch(() => {})
  }
  process.stdin.on('data', async (words) => {
    for (const word of String(words).trim().split(' ')) {
      if (word === 'exit') process.exit(3)
      if (word === 'dispose') {
        process.stdin.destroy()
        await port.dispose()
        rmSync(folder, { recursive: true })
        process.exitCode = 7
      } else void port.run({ id: word, command: 'echo up >' + word + '; sleep 1000', cwd }, { signal }).catch(() => {})
    }
  })
`

beforeAll(() =>
  build({
    stdin: { contents: HOST_SOURCE, resolveDir: import.meta.dirname },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: program,
    logLevel: 'error',
  }),
)
afterAll(() => rmSync(programFolder, { recursive: true }))

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-host-death-')))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

interface Host {
  readonly process: ChildProcessByStdio<Writable, null, null>
  /** Returns the running processes of the host and its commands. */
  findRunningPids(): readonly number[]
  /** Waits until all these processes and their temporary files are gone. Resolves to the exit code of the host. */
  waitUntilGone(): Promise<number | null>
}

/** Starts a host and waits until its commands run. Each command creates a file: `up0`, `up1` and so on. */
async function startHost(kind: 'foreground' | 'background', commands: readonly string[]): Promise<Host> {
  const runId = randomUUID()
  const temporaryFolder = mkdtempSync(join(folder, 'tmp-'))
  const host = spawn(process.execPath, [program, kind, folder, ...commands], {
    env: { ...process.env, TMPDIR: temporaryFolder, HAFT_TEST_RUN: runId },
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  })
  const exitEvent = once(host, 'exit')
  const findRunningPids = (): readonly number[] => findProcessesWith(`HAFT_TEST_RUN=${runId}`)
  await waitUntil(() => commands.every((_, index) => readFileText(`up${index}`) !== ''))
  // When the host runs another command, the earlier ones are already registered with its supervisor.
  host.stdin.write('later ')
  await waitUntil(() => readFileText('later') !== '')
  expect(findRunningPids().length).toBeGreaterThan(commands.length)
  return {
    process: host,
    findRunningPids,
    async waitUntilGone() {
      const [exitCode] = await exitEvent
      await waitUntil(() => findRunningPids().length === 0)
      expect(readdirSync(temporaryFolder)).toEqual([])
      return exitCode
    },
  }
}

/** Kills the whole process group, as when a terminal is closed. */
function killGroup({ process: { pid = 0 } }: Host): void {
  process.kill(-pid, 'SIGKILL')
}

function readFileText(name: string): string {
  return readdirSync(folder).includes(name) ? readFileSync(join(folder, name), 'utf8') : ''
}

describe('when the host is killed', () => {
  test.each(['foreground', 'background'] as const)('its commands in the %s end', async (kind) => {
    const host = await startHost(kind, ['echo up >up0; sleep 1000', 'sleep 1000 & sleep 1000 & echo up >up1; wait'])

    killGroup(host)

    await host.waitUntilGone()
  })

  test('a command that ignores SIGTERM ends', async () => {
    const host = await startHost('foreground', [`trap '' TERM; echo up >up0; while :; do sleep 1; done`])

    killGroup(host)

    await host.waitUntilGone()
  })

  testWithProgram('setsid', 'util-linux')('a daemon that left the session ends', async () => {
    const host = await startHost('foreground', [`setsid bash -c 'echo up >up0; exec sleep 1000' & wait`])

    killGroup(host)

    await host.waitUntilGone()
  })

  test('a process that cleared its environment but stayed in the session ends', async () => {
    const host = await startHost('foreground', ['set -m; env -i sleep 1000 & echo $! >up0; wait'])

    killGroup(host)

    await host.waitUntilGone()
    await waitUntil(() => !isAlive(Number(readFileText('up0'))))
  })

  test('all commands end even if the supervisor received termination signals earlier', async () => {
    const host = await startHost('foreground', ['echo up >up0; sleep 1000'])
    const supervisorPids = host.findRunningPids().filter(isSupervisor)
    expect(supervisorPids).toHaveLength(1)

    for (const signal of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM']) process.kill(supervisorPids[0] ?? 0, signal)
    killGroup(host)

    await host.waitUntilGone()
  })

  test('all commands end even if the first supervisor was killed earlier', async () => {
    const host = await startHost('foreground', ['echo up >up0; sleep 1000'])
    const findSupervisors = (): readonly number[] => host.findRunningPids().filter(isSupervisor)
    for (const pid of findSupervisors()) process.kill(pid, 'SIGKILL')
    await waitUntil(() => findSupervisors().length === 0)
    // The host notices the death after a while and starts another supervisor for the next command.
    await waitUntil(() => {
      host.process.stdin.write('more ')
      return findSupervisors().length > 0
    })
    // Once this command has run, the new supervisor has all registrations.
    host.process.stdin.write('last ')
    await waitUntil(() => readFileText('last') !== '')

    killGroup(host)

    await host.waitUntilGone()
  })
})

test('when the host exits normally, its commands end', async () => {
  const host = await startHost('background', ['echo up >up0; sleep 1000'])

  host.process.stdin.end('exit')

  expect(await host.waitUntilGone()).toBe(3)
})

test('a host that closes its port exits without being killed', async () => {
  const host = await startHost('background', ['echo up >up0; sleep 1000'])

  host.process.stdin.end('dispose')

  expect(await host.waitUntilGone()).toBe(7)
})

testWithProgram('script', 'bsdutils')('a command has no terminal, even if its host has one', async () => {
  const host = `(: </dev/tty) && '${process.execPath}' '${program}' foreground '${folder}' "$COMMAND"`
  const runId = randomUUID()
  const terminal = spawn('script', ['-qec', host, '/dev/null'], {
    env: {
      ...process.env,
      HAFT_TEST_RUN: runId,
      COMMAND: 'if (: </dev/tty) 2>/dev/null; then echo has; else echo none; fi >up0; sleep 1000',
    },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const exitEvent = once(terminal, 'exit')

  await waitUntil(() => readFileText('up0') !== '')

  expect(readFileText('up0')).toBe('none\n')
  terminal.kill()
  await exitEvent
  await waitUntil(() => findProcessesWith(`HAFT_TEST_RUN=${runId}`).length === 0)
})
