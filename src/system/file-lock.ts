import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, lstatSync, openSync, readdirSync, rmdirSync, unlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeFolder } from './make-folder.js'
import { formatIdentity, hasEnded, type ProcessIdentity, parseIdentity } from './processes/process-identity.js'

/**
 * Locks between processes. A lock is a folder of claims. To take the lock, a process adds its own claim; it
 * holds the lock if there is no other valid claim: of two processes, the second always sees the claim of the first. A claim
 * is removed by its owner, or by another process once it is abandoned: its process has ended, or it was not refreshed for
 * `staleAfterMs`. Claims have unique names, so a process that removes an abandoned claim never removes a new one by mistake.
 */
export interface FileLock {
  /** Whether the lock is held: false after `release`, and after another process removed the claim as abandoned. */
  isHeld(): boolean
  /** Shows other processes that the holder is still active; needed only for locks with `staleAfterMs`. */
  refresh(): void
  release(): void
}

export interface LockOptions {
  /** Claims that were not refreshed for this long are abandoned, even if their process seems to run. */
  readonly staleAfterMs?: number
}

interface LockHolder {
  readonly holder: ProcessIdentity
  /** Whether the claim is old enough to hold the lock. A newer one may be withdrawn in a moment. */
  readonly isEstablished: boolean
}

const ESTABLISHED_AFTER_MS = 1_000
const LOCK_FILE_STALE_AFTER_MS = 10_000
const MAX_PAUSE_MS = 30
const MAX_TRIES = 12

/** Thrown by `lockNow` if the lock is held, by another process or by this one. */
export class LockHeldError extends Error {
  override readonly name = 'LockHeldError'

  constructor(
    folder: string,
    readonly holder: ProcessIdentity,
  ) {
    super(`${folder} is locked by process ${holder.pid}.`)
  }
}

/** Takes the lock if it is free, else returns undefined. */
export function tryLock(folder: string, options: LockOptions = {}): FileLock | undefined {
  const attempt = placeClaim(folder, options)
  return attempt !== undefined && 'release' in attempt ? attempt : undefined
}

/** Takes the lock or throws a `LockHeldError`. Blocks the process for up to a few hundred milliseconds while others compete for it. */
export function lockNow(folder: string): FileLock {
  for (let tryCount = 1; ; tryCount++) {
    const attempt = placeClaim(folder, {})
    if (attempt !== undefined && 'release' in attempt) return attempt
    if (attempt !== undefined && (tryCount >= MAX_TRIES || attempt.isEstablished)) {
      throw new LockHeldError(folder, attempt.holder)
    }
    if (tryCount >= MAX_TRIES) throw new Error(`The lock ${folder} could not be created. Remove it if it is a file.`)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, choosePause())
  }
}

/** Returns a running process with a claim on the lock, if there is one. Ignores `staleAfterMs`. */
export function findLockHolder(folder: string): ProcessIdentity | undefined {
  return listClaims(folder).find(({ owner }) => !hasEnded(owner))?.owner
}

const CHANGE_STALE_AFTER_MS = 10_000
const MAX_CHANGE_WAIT_MS = 30_000

class LockLostError extends Error {
  override readonly name = 'LockLostError'
}

/**
 * Changes a file under its lock, waiting for the lock if necessary. Call `checkLockHeld` right before writing: if another
 * process took over the lock because this one was suspended for too long, the change starts again.
 */
export async function withFileLock<T>(
  file: string,
  change: (checkLockHeld: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const deadline = Date.now() + MAX_CHANGE_WAIT_MS
  for (;;) {
    const lock = await waitForLock(`${file}.lock`, deadline)
    const timer = setInterval(() => lock.refresh(), CHANGE_STALE_AFTER_MS / 4).unref()
    try {
      return await change(async () => {
        if (!lock.isHeld()) throw new LockLostError(`Another process took over the lock of ${file}. Try again.`)
      })
    } catch (error) {
      if (!(error instanceof LockLostError) || Date.now() > deadline) throw error
    } finally {
      clearInterval(timer)
      lock.release()
    }
  }
}

async function waitForLock(folder: string, deadline: number): Promise<FileLock> {
  for (;;) {
    const lock = tryLock(folder, { staleAfterMs: CHANGE_STALE_AFTER_MS })
    if (lock !== undefined) return lock
    if (Date.now() > deadline) {
      throw new Error(`${folder} is held by another process. Delete it if no other Haft is running.`)
    }
    await sleep(choosePause())
  }
}

/** Returns a random pause, so that two processes that withdrew because of each other do not collide again. */
function choosePause(): number {
  return 1 + Math.random() * MAX_PAUSE_MS
}

/** Returns the lock, or its holder if it is held. Undefined if no claim could be added, because the folder was just removed or is a file. */
function placeClaim(
  folder: string,
  { staleAfterMs = Number.POSITIVE_INFINITY }: LockOptions,
): FileLock | LockHolder | undefined {
  const name = `${formatIdentity()}-${randomUUID().slice(-12)}`
  if (!addClaim(folder, name)) return undefined
  const otherClaims = listClaims(folder).filter((other) => other.name !== name)
  const competingClaim = otherClaims.find(
    (other) => !hasEnded(other.owner) && measureAge(folder, other.name) <= staleAfterMs,
  )
  if (competingClaim !== undefined) {
    const isEstablished = measureAge(folder, competingClaim.name) > ESTABLISHED_AFTER_MS
    withdrawClaim(folder, name)
    return { holder: competingClaim.owner, isEstablished }
  }
  for (const abandonedClaim of otherClaims) removeClaim(folder, abandonedClaim.name)
  return {
    isHeld: () => existsSync(join(folder, name)),
    refresh: () => refreshClaim(join(folder, name)),
    release: () => withdrawClaim(folder, name),
  }
}

interface Claim {
  readonly name: string
  readonly owner: ProcessIdentity
}

/** All data of a claim is in its file name, so that no process reads a half-written claim. */
const CLAIM_NAME = /^(.+)-[0-9a-f]{12}$/

function listClaims(folder: string): readonly Claim[] {
  return listNames(folder).flatMap((name) => {
    const owner = parseIdentity(CLAIM_NAME.exec(name)?.[1] ?? '')
    return owner === undefined ? [] : [{ name, owner }]
  })
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return []
    throw error
  }
}

function addClaim(folder: string, name: string): boolean {
  try {
    makeFolder(folder)
    const folderStats = lstatSync(folder, { throwIfNoEntry: false })
    // Earlier versions used a file for some locks.
    if (folderStats?.isDirectory() === false && Date.now() - folderStats.mtimeMs > LOCK_FILE_STALE_AFTER_MS)
      unlinkSync(folder)
    if (folderStats?.isDirectory() !== true) return false
    closeSync(openSync(join(folder, name), 'wx', 0o600))
    return true
  } catch (error) {
    // A process that releases the lock removes the empty folder, possibly right now. Node then reports either of these codes.
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'EEXIST')) return false
    throw error
  }
}

function withdrawClaim(folder: string, name: string): void {
  try {
    removeClaim(folder, name)
    rmdirSync(folder)
  } catch {
    // The folder contains other claims. A claim that could not be removed counts as abandoned when this process has ended.
  }
}

function removeClaim(folder: string, name: string): void {
  try {
    unlinkSync(join(folder, name))
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) throw error
  }
}

function refreshClaim(path: string): void {
  try {
    const now = new Date()
    utimesSync(path, now, now)
  } catch {
    // The claim is gone: `isHeld` reports it before anything is written.
  }
}

/** Returns the milliseconds since a claim was refreshed; 0 if it no longer exists. */
function measureAge(folder: string, name: string): number {
  const changedAt = lstatSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs
  return changedAt === undefined ? 0 : Date.now() - changedAt
}

function hasErrorCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === code
}
