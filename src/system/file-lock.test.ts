import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { findLockHolder, LockHeldError, lockNow, tryLock, withFileLock } from './file-lock.js'
import { formatIdentity, getOwnIdentity } from './processes/process-identity.js'

const PROCESS_COUNT = 6
const TURN_COUNT = process.env.HAFT_LONG_TESTS ? 400 : 40

let folder = ''
let file = ''
let lockFolder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'haft-lock-'))
  file = join(folder, 'file')
  lockFolder = `${file}.lock`
})
afterEach(() => rmSync(folder, { recursive: true }))

function addClaim(owner: string, ageMs = 0): string {
  mkdirSync(lockFolder, { recursive: true })
  const claimPath = join(lockFolder, `${owner}-0123456789ab`)
  writeFileSync(claimPath, '')
  const changedAt = (Date.now() - ageMs) / 1000
  utimesSync(claimPath, changedAt, changedAt)
  return claimPath
}

async function buildProgram(contents: string): Promise<string> {
  const outfile = join(folder, 'program.mjs')
  await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    ...{ bundle: true, platform: 'node', format: 'esm', outfile, logLevel: 'error' },
  })
  return outfile
}

/** A process that holds the lock until it is killed. */
async function startHolder(): Promise<ChildProcess> {
  const path = await buildProgram(`
    import { lockNow } from './file-lock.ts'
    lockNow(process.argv[2])
    console.log('held')
    setInterval(() => {}, 1000)`)
  const child = spawn(process.execPath, [path, lockFolder], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(createInterface({ input: child.stdout }), 'line')
  return child
}

describe('lockNow and tryLock:', () => {
  test('a lock that another process holds is refused with an error that names the holder', async () => {
    const { pid } = await startHolder()

    expect(() => lockNow(lockFolder)).toThrow(`is locked by process ${pid}.`)
    expect(tryLock(lockFolder)).toBeUndefined()
    expect(findLockHolder(lockFolder)?.pid).toBe(pid)
  })

  test('a lock is free as soon as its holder is killed', async () => {
    const child = await startHolder()
    child.kill('SIGKILL')
    await once(child, 'exit')

    const lock = lockNow(lockFolder)

    expect([readdirSync(lockFolder).length, lock.isHeld()]).toEqual([1, true])
    lock.release()
    expect([existsSync(lockFolder), lock.isHeld()]).toEqual([false, false])
  })

  test('one process cannot take a lock twice', () => {
    const lock = lockNow(lockFolder)

    expect(() => lockNow(lockFolder)).toThrow(LockHeldError)
    lock.release()
    lockNow(lockFolder).release()
  })

  test.runIf(process.platform === 'linux')(
    'a lock of an ended process is free even if its process id was reused',
    () => {
      const { host, pid, start } = getOwnIdentity()
      addClaim(`${host}-${pid}-${Number(start) + 1}`)

      lockNow(lockFolder).release()
    },
  )

  test('a claim of a process on another machine is valid until it is stale, or always without staleAfterMs', () => {
    addClaim('00000000-99-7', 60_000)

    expect(() => lockNow(lockFolder)).toThrow(LockHeldError)
    expect(tryLock(lockFolder, { staleAfterMs: 100_000 })).toBeUndefined()
    const lock = tryLock(lockFolder, { staleAfterMs: 10_000 })
    expect(readdirSync(lockFolder)).toHaveLength(1)
    lock?.release()
  })

  test('files that are not claims are ignored', () => {
    mkdirSync(lockFolder)
    writeFileSync(join(lockFolder, 'notes.txt'), '')

    lockNow(lockFolder).release()
    expect(readdirSync(lockFolder)).toEqual(['notes.txt'])
  })

  test('a file instead of the lock folder causes an error that names it, and is removed once it is old', () => {
    writeFileSync(lockFolder, '')
    expect(() => lockNow(lockFolder)).toThrow(`The lock ${lockFolder} could not be created. Remove it if it is a file.`)

    utimesSync(lockFolder, 0, 0)
    lockNow(lockFolder).release()
  })

  test('only one of many competing processes holds the lock at a time, even if some are killed while they hold it', async () => {
    const path = await buildProgram(`
      import { appendFileSync } from 'node:fs'
      import { LockHeldError, lockNow } from './file-lock.ts'
      const [folder, journal, turns] = process.argv.slice(2)
      for (let turn = 0; turn < Number(turns); turn++) {
        let lock
        try {
          lock = lockNow(folder)
        } catch (error) {
          if (error instanceof LockHeldError) continue
          throw error
        }
        appendFileSync(journal, 'in ' + process.pid + '\\n')
        for (let spin = 0; spin < 2000; spin++) Math.sqrt(spin)
        if (Math.random() < 0.02) process.kill(process.pid, 'SIGKILL')
        appendFileSync(journal, 'out ' + process.pid + '\\n')
        lock.release()
      }`)
    const journal = join(folder, 'journal')
    const children = Array.from({ length: PROCESS_COUNT }, () =>
      spawn(process.execPath, [path, lockFolder, journal, String(TURN_COUNT)], { stdio: ['ignore', 'ignore', 'pipe'] }),
    )
    const errors: string[] = []
    for (const child of children) child.stderr.on('data', (chunk) => errors.push(String(chunk)))
    const ends = await Promise.all(children.map((child) => once(child, 'close')))

    expect(errors).toEqual([])
    expect(ends.every(([code, signal]) => code === 0 || signal === 'SIGKILL')).toBe(true)
    const lines = readFileSync(journal, 'utf8').trim().split('\n')
    expect(lines.length).toBeGreaterThan(PROCESS_COUNT)
    let holder: string | undefined
    for (const [at, line] of lines.entries()) {
      const [step, pid] = line.split(' ')
      if (step === 'out') expect([at, pid]).toEqual([at, holder])
      // A process without an `out` line was killed while it held the lock, and writes nothing more.
      else if (holder !== undefined)
        expect(lines.slice(at).filter((laterLine) => laterLine.endsWith(` ${holder}`))).toEqual([])
      holder = step === 'in' ? pid : undefined
    }
  })
})

describe('withFileLock', () => {
  test('runs one change at a time', async () => {
    let runningCount = 0
    let maxConcurrentCount = 0
    const change = async () => {
      maxConcurrentCount = Math.max(maxConcurrentCount, ++runningCount)
      await new Promise((resolve) => setImmediate(resolve))
      runningCount--
    }

    await Promise.all(Array.from({ length: 8 }, () => withFileLock(file, change)))

    expect(maxConcurrentCount).toBe(1)
    expect(readdirSync(folder)).toEqual([])
  })

  test('runs a change again if its claim was removed', async () => {
    let runCount = 0

    const result = await withFileLock(file, async (checkLockHeld) => {
      runCount++
      if (runCount === 1) rmSync(lockFolder, { recursive: true })
      await checkLockHeld()
      return `run ${runCount}`
    })

    expect(result).toBe('run 2')
  })

  test('keeps the claim of another process and rethrows an error of the change', async () => {
    const claim = { path: '' }
    const change = withFileLock(file, async () => {
      claim.path = addClaim('00000000-99-7')
      throw new Error('disk full')
    })

    await expect(change).rejects.toThrow('disk full')
    expect(existsSync(claim.path)).toBe(true)
  })

  test('takes over from a holder that does not refresh its claim', async () => {
    const claim = addClaim(formatIdentity(), 60_000)

    await withFileLock(file, (checkLockHeld) => checkLockHeld())

    expect(existsSync(claim)).toBe(false)
  })

  test('refreshes the claim of a long change', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())

    await withFileLock(file, async (checkLockHeld) => {
      const claimPath = join(lockFolder, readdirSync(lockFolder)[0] ?? '')
      const staleTime = Date.now() / 1000 - 60
      utimesSync(claimPath, staleTime, staleTime)
      vi.advanceTimersByTime(5_000)
      expect(statSync(claimPath).mtimeMs).toBeGreaterThan(staleTime * 1000 + 50_000)
      await checkLockHeld()
    })
  })
})
