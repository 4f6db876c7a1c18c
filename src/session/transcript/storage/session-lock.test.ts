import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { getOwnIdentity } from '../../../system/processes/process-identity.js'
import { createTemporaryFolder } from '../../../testing/query-fixture.js'
import { findHolder, lockSession } from './session-lock.js'
import { SessionPaths } from './session-paths.js'

const PROCESS_COUNT = 6
const TURN_COUNT = process.env.HAFT_LONG_TESTS ? 400 : 40

let folder: string
let paths: SessionPaths
beforeEach(async () => {
  folder = await createTemporaryFolder()
  paths = new SessionPaths(folder, 'session')
})

async function buildProgram(contents: string): Promise<string> {
  const outfile = join(folder, 'program.mjs')
  await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    ...{ bundle: true, platform: 'node', format: 'esm', outfile, logLevel: 'error' },
  })
  return outfile
}

/** Starts a process that locks the session, reports it, and runs until it is killed. */
async function startHolder(): Promise<ChildProcess> {
  const file = await buildProgram(`
    import { lockSession } from './session-lock.ts'
    import { SessionPaths } from './session-paths.ts'
    lockSession(new SessionPaths(process.argv[2], 'session'))
    console.log('held')
    setInterval(() => {}, 1000)`)
  const child = spawn(process.execPath, [file, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(createInterface({ input: child.stdout }), 'line')
  return child
}

test('a session that another process has open is rejected with the pid and advice', async () => {
  const { pid } = await startHolder()

  expect(() => lockSession(paths)).toThrow(
    `is open in process ${pid}. End it there, or continue with a copy: --fork-session`,
  )
  expect(findHolder(paths)?.pid).toBe(pid)
})

test('a session is unlocked as soon as its process is killed', async () => {
  const child = await startHolder()
  child.kill('SIGKILL')
  await once(child, 'exit')

  const lock = lockSession(paths)

  expect(readdirSync(paths.lock)).toHaveLength(1)
  lock.release()
  expect(existsSync(paths.lock)).toBe(false)
})

test('one process cannot open a session twice', () => {
  const lock = lockSession(paths)

  expect(() => lockSession(paths)).toThrow(/is open in this process/)
  lock.release()
  lockSession(paths).release()
})

test('a reused pid does not lock a session', () => {
  const { host, pid, start } = getOwnIdentity()
  mkdirSync(paths.lock)
  writeFileSync(join(paths.lock, `${host}-${pid}-${Number(start) + 1}-0123456789ab`), '')
  const hasStartTimes = start !== '0'

  if (hasStartTimes) lockSession(paths).release()
  else expect(() => lockSession(paths)).toThrow()
})

test('a process on another machine locks a session, and the message says what to remove', () => {
  mkdirSync(paths.lock)
  writeFileSync(join(paths.lock, '00000000-99-7-0123456789ab'), '')

  expect(() => lockSession(paths)).toThrow(`on another machine or in another container. End it there, or continue`)
  expect(() => lockSession(paths)).toThrow(`remove ${paths.lock}`)
})

test('unrelated files in the lock folder are ignored', () => {
  mkdirSync(paths.lock)
  writeFileSync(join(paths.lock, 'notes.txt'), '')

  lockSession(paths).release()
  rmSync(paths.lock, { recursive: true })
})

test('no two of many competing processes hold the session at once, even if some of them are killed', async () => {
  const file = await buildProgram(`
    import { closeSync, openSync, rmSync, appendFileSync } from 'node:fs'
    import { lockSession } from './session-lock.ts'
    import { SessionPaths } from './session-paths.ts'
    const [folder, turns] = process.argv.slice(2)
    for (let turn = 0; turn < Number(turns); turn++) {
      let lock
      try {
        lock = lockSession(new SessionPaths(folder, 'session'))
      } catch (error) {
        if (error.code === 'locked') continue
        throw error
      }
      // A process killed in here leaves its claim, and the next one detects that it has ended.
      appendFileSync(folder + '/journal', 'in ' + process.pid + '\\n')
      for (let spin = 0; spin < 2000; spin++) Math.sqrt(spin)
      if (Math.random() < 0.02) process.kill(process.pid, 'SIGKILL')
      appendFileSync(folder + '/journal', 'out ' + process.pid + '\\n')
      lock.release()
    }`)
  const children = Array.from({ length: PROCESS_COUNT }, () => {
    return spawn(process.execPath, [file, folder, String(TURN_COUNT)], { stdio: ['ignore', 'ignore', 'pipe'] })
  })
  const errors: string[] = []
  for (const child of children) child.stderr.on('data', (chunk) => errors.push(String(chunk)))
  const closeEvents = await Promise.all(children.map((child) => once(child, 'close')))

  expect(errors).toEqual([])
  expect(closeEvents.every(([code, signal]) => code === 0 || signal === 'SIGKILL')).toBe(true)
  const lines = readFileSync(join(folder, 'journal'), 'utf8').trim().split('\n')
  expect(lines.length).toBeGreaterThan(PROCESS_COUNT)
  let holderPid: string | undefined
  for (const [at, line] of lines.entries()) {
    const [step, pid] = line.split(' ')
    if (step === 'out') expect([at, pid]).toEqual([at, holderPid])
    // A process without an `out` line was killed, so it must not appear again.
    else if (holderPid !== undefined)
      expect(lines.slice(at).filter((laterLine) => laterLine.endsWith(` ${holderPid}`))).toEqual([])
    holderPid = step === 'in' ? pid : undefined
  }
})
