import { randomUUID } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { link, lstat, open, readFile, rename, rm, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { codeOf } from './files/read-text-file.js'

/** A lock this old belongs to nobody: who works longer shows that it lives. */
const STALE_AFTER_MS = 10_000
const SIGN_OF_LIFE_MS = STALE_AFTER_MS / 4
const GIVE_UP_AFTER_MS = 30_000
const LONGEST_PAUSE_MS = 25

/** Proves that the lock is still held; throws if another took it for abandoned. */
export type CheckLock = () => Promise<void>

class LockLostError extends Error {
  override readonly name = 'LockLostError'
}

/** Runs a change of a file while no other process changes it. A lock that was lost on the way starts the change anew. */
export async function withFileLock<T>(file: string, change: (stillHeld: CheckLock) => Promise<T>): Promise<T> {
  const lock = `${file}.lock`
  const deadline = Date.now() + GIVE_UP_AFTER_MS
  for (;;) {
    const token = `${process.pid} ${hostname()} ${randomUUID()}`
    await acquire(lock, token, deadline)
    const life = setInterval(() => void showLife(lock, token), SIGN_OF_LIFE_MS)
    life.unref()
    try {
      return await change(() => checkHeld(lock, token))
    } catch (error) {
      if (!(error instanceof LockLostError) || Date.now() > deadline) throw error
    } finally {
      clearInterval(life)
      if (await holds(lock, token)) await rm(lock, { force: true })
    }
  }
}

async function showLife(lock: string, token: string): Promise<void> {
  if (!(await holds(lock, token))) return
  const now = new Date()
  // A lock that is gone by now is found out before anything is written.
  await utimes(lock, now, now).catch(() => {})
}

async function acquire(lock: string, token: string, deadline: number): Promise<void> {
  while (!(await tryToCreate(lock, token))) {
    const stale = await findStale(lock)
    if (stale !== undefined) {
      await takeAway(lock, stale)
      continue
    }
    if (Date.now() > deadline) throw new Error(`${lock} is held by another process; delete it if none is running.`)
    await wait(1 + Math.random() * LONGEST_PAUSE_MS)
  }
}

async function tryToCreate(lock: string, token: string): Promise<boolean> {
  try {
    const handle = await open(lock, 'wx', 0o600)
    try {
      await handle.writeFile(token)
    } finally {
      await handle.close()
    }
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** The identity of a lock that nobody holds any more. */
async function findStale(lock: string): Promise<string | undefined> {
  const stats = await lstat(lock, { bigint: true }).catch(() => undefined)
  if (stats === undefined) return undefined
  const isOld = Date.now() - Number(stats.mtimeMs) > STALE_AFTER_MS
  const isStale = isOld || (stats.isFile() && holderIsDead(await readFile(lock, 'utf8').catch(() => '')))
  return isStale ? identityOf(stats) : undefined
}

function identityOf({ ino, mtimeNs }: BigIntStats): string {
  return `${ino} ${mtimeNs}`
}

/** A lock just created may still be empty; only its age can tell then. */
function holderIsDead(token: string): boolean {
  const [pid, host] = token.split(' ')
  if (host !== hostname() || !/^\d+$/.test(pid ?? '')) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return codeOf(error) === 'ESRCH'
  }
}

/** Of several who find the same stale lock, the rename lets one remove it; a fresh one caught by it is put back. */
async function takeAway(lock: string, stale: string): Promise<void> {
  const aside = `${lock}.${randomUUID()}`
  try {
    await rename(lock, aside)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  const caught = await lstat(aside, { bigint: true })
  // Its holder finds out before it writes if another was faster still.
  if (identityOf(caught) !== stale) await link(aside, lock).catch(() => {})
  await rm(aside, { force: true, recursive: true })
}

async function holds(lock: string, token: string): Promise<boolean> {
  return (await readFile(lock, 'utf8').catch(() => undefined)) === token
}

async function checkHeld(lock: string, token: string): Promise<void> {
  if (!(await holds(lock, token))) throw new LockLostError(`${lock} was taken by another process.`)
}
