import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findProcessesWith, isAlive, isSupervisor, waitUntil } from '../../testing/running-processes.js'
import { testWithProgram } from '../../testing/test-with-program.js'

const programFolder = mkdtempSync(join(tmpdir(), 'haft-hook-program-'))
const program = join(programFolder, 'program.mjs')
let folder = ''
let runId = ''
let host: ChildProcess | undefined

/** A host that runs one command hook and then waits; it disposes its hook runner when its stdin closes. */
const HOST_SOURCE = `
  import { createHookRunner } from ${JSON.stringify(join(import.meta.dirname, '../create-hook-runner.ts'))}
  import { parseHookConfig } from ${JSON.stringify(join(import.meta.dirname, '../config/parse-hook-config.ts'))}
  const [cwd, command, timeout] = process.argv.slice(2)
  const { config } = parseHookConfig({
    PreToolUse: [{ hooks: [{ type: 'command', command, timeout: Number(timeout) }] }],
  })
  const runner = createHookRunner({
    config,
    session: () => ({ session_id: 's', transcript_path: 't', cwd, permission_mode: 'default' }),
    projectDir: cwd,
    environment: process.env,
    disposeWaitMs: 1,
  })
  const outcome = runner.run('PreToolUse', { tool_name: 'Bash', tool_input: {}, tool_use_id: 'id' })
  outcome.then(({ reports }) => console.log(reports[0].outcome))
  process.stdin.on('end', () => runner.dispose()).resume()
`

beforeAll(() =>
  build({
    stdin: { contents: HOST_SOURCE, resolveDir: import.meta.dirname },
    ...{ bundle: true, platform: 'node', format: 'esm', outfile: program, logLevel: 'error' },
  }),
)
afterAll(() => rmSync(programFolder, { recursive: true }))

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-hook-death-')))
  runId = randomUUID()
})
afterEach(() => {
  host?.kill('SIGKILL')
  for (const pid of findRunningPids()) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // The process ended between the search and the signal, as the supervisor does after its host has ended.
    }
  }
  rmSync(folder, { recursive: true, force: true })
})

function startHost(command: string, timeoutSeconds = 60): ChildProcess {
  host = spawn(process.execPath, [program, folder, command, String(timeoutSeconds)], {
    env: { ...process.env, HAFT_TEST_RUN: runId },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  return host
}

function findRunningPids(): readonly number[] {
  return findProcessesWith(`HAFT_TEST_RUN=${runId}`)
}

/** The process ids that the hook wrote, once all of them are there. */
async function readPids(name: string, count: number): Promise<readonly number[]> {
  const readWrittenPids = () =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').trim().split(/\s+/) : []
  await waitUntil(() => readWrittenPids().length === count)
  return readWrittenPids().map(Number)
}

/** A shell, its child, and a grandchild that ignores SIGTERM. */
const TREE_SCRIPT = `sh -c 'trap "" TERM; echo $$ >> pids; while :; do sleep 1; done' & sleep 1000 & echo $$ $! >> pids; wait`

describe('when Haft is killed with SIGKILL', () => {
  test('the whole process tree of a hook command ends', async () => {
    const { pid = 0 } = startHost(TREE_SCRIPT)
    const pids = await readPids('pids', 3)
    expect(pids.filter(isAlive)).toEqual(pids)
    await waitUntil(() => findRunningPids().some(isSupervisor))

    process.kill(-pid, 'SIGKILL')

    await waitUntil(() => findRunningPids().length === 0)
    expect(pids.filter(isAlive)).toEqual([])
  })

  testWithProgram('setsid', 'util-linux')('a daemon that left the session of the hook also ends', async () => {
    const { pid = 0 } = startHost(`setsid sh -c 'echo $$ >> pids; exec sleep 1000' & wait`)
    const [daemon = 0] = await readPids('pids', 1)

    process.kill(pid, 'SIGKILL')

    await waitUntil(() => findRunningPids().length === 0)
    expect(isAlive(daemon)).toBe(false)
  })
})

describe('when the hook ends', () => {
  test('at its time limit, its process tree ends with it', async () => {
    const { stdout } = startHost(TREE_SCRIPT, 1)
    const pids = await readPids('pids', 3)
    if (stdout === null) throw new Error('The host has no stdout.')
    expect(String((await once(stdout, 'data'))[0])).toBe('timed-out\n')

    expect(pids.filter(isAlive)).toEqual([])
  })

  test('normally, a child that it left behind ends with it', async () => {
    const { stdout } = startHost('sleep 1000 >/dev/null 2>&1 & echo $! > pids')
    if (stdout === null) throw new Error('The host has no stdout.')
    expect(String((await once(stdout, 'data'))[0])).toBe('ok\n')

    expect((await readPids('pids', 1)).filter(isAlive)).toEqual([])
  })
})

test('a host that disposes its hook runner exits normally and leaves no supervisor', async () => {
  const child = startHost('echo')
  const exitEvent = once(child, 'exit')
  await waitUntil(() => findRunningPids().some(isSupervisor))

  child.stdin?.end()

  expect(await exitEvent).toEqual([0, null])
  await waitUntil(() => findRunningPids().length === 0)
})
