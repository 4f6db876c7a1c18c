import { randomUUID } from 'node:crypto'
import { closeSync, lstatSync, mkdirSync, openSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../shared/make-folder.js'
import { isGone, isHere, ownMark, type ProcessMark } from './process-mark.js'
import { SessionError } from './session-error.js'
import type { SessionPlace } from './session-place.js'

const TRIES = 12
const LONGEST_PAUSE_MS = 30
/** A claim this old is held; a younger one may be withdrawn in a moment. */
const SETTLED_AFTER_MS = 1_000

export interface SessionLock {
  release(): void
}

/**
 * Lets one process at a time have a session. Each who wants it puts a claim of its own beside those of others, and has
 * the session if no other claim of a living process is there: of two, the one that came second always sees the first.
 * Claims are never taken over, only removed when their process is gone, so that nobody can remove a fresh one.
 */
export function lockSession(place: SessionPlace): SessionLock {
  for (let tries = 1; ; tries++) {
    const claim = tryToClaim(place.lock)
    if (typeof claim === 'string') return { release: () => withdraw(place.lock, claim) }
    if (claim !== undefined && (tries >= TRIES || claim.isSettled)) throw lockedError(place, claim.holder)
    if (tries >= TRIES) throw new Error(`${place.lock} cannot be made.`)
    pause(1 + Math.random() * LONGEST_PAUSE_MS)
  }
}

/** The process that has a session open, if one has. */
export function holderOf(place: SessionPlace): ProcessMark | undefined {
  return claimsIn(place.lock).find(({ mark }) => !isGone(mark))?.mark
}

/** The name of the claim that was made, who is in the way, or nothing where the folder was removed meanwhile. */
function tryToClaim(folder: string): string | { holder: ProcessMark; isSettled: boolean } | undefined {
  const name = claimName(ownMark())
  if (!put(folder, name)) return undefined
  const others = claimsIn(folder).filter((claim) => claim.name !== name)
  const rival = others.find(({ mark }) => !isGone(mark))
  if (rival === undefined) {
    for (const dead of others) remove(join(folder, dead.name))
    return name
  }
  const isSettled = isOld(join(folder, rival.name))
  withdraw(folder, name)
  return { holder: rival.mark, isSettled }
}

/** A claim is a name alone, so that it is whole as soon as it is there. */
function claimName({ place, pid, start }: ProcessMark): string {
  return `${place}-${pid}-${start}-${randomUUID().slice(-12)}`
}

const CLAIM = /^([0-9a-f]{8})-([1-9]\d{0,9})-(\d+)-[0-9a-f]{12}$/

function claimsIn(folder: string): readonly { readonly name: string; readonly mark: ProcessMark }[] {
  return namesIn(folder).flatMap((name) => {
    const [, place, pid, start] = CLAIM.exec(name) ?? []
    if (place === undefined || pid === undefined || start === undefined) return []
    return [{ name, mark: { place, pid: Number(pid), start } }]
  })
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

function put(folder: string, name: string): boolean {
  try {
    makeFolder(folder, mkdirSync)
    if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return false
    closeSync(openSync(join(folder, name), 'wx', 0o600))
    return true
  } catch (error) {
    // Whoever gives up a session takes an empty folder along; gone while it is being made, Node says that it exists.
    if (hasCode(error, 'ENOENT') || hasCode(error, 'EEXIST')) return false
    throw error
  }
}

function withdraw(folder: string, name: string): void {
  try {
    remove(join(folder, name))
    rmdirSync(folder)
  } catch {
    // Others are in it; or it is left, and taken for abandoned when this process is gone.
  }
}

function remove(claim: string): void {
  try {
    unlinkSync(claim)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
}

function isOld(claim: string): boolean {
  const made = lstatSync(claim, { throwIfNoEntry: false })?.mtimeMs
  return made !== undefined && Date.now() - made > SETTLED_AFTER_MS
}

function lockedError(place: SessionPlace, holder: ProcessMark): SessionError {
  const where = isHere(holder) ? '' : ' on another machine or in another container'
  const ifGone = isHere(holder) ? '' : ` If that is gone, remove ${place.lock}.`
  const who = holder.pid === process.pid && isHere(holder) ? 'this process' : `process ${holder.pid}${where}`
  const wayOut = 'End it there, or go on with a copy: --fork-session.'
  return new SessionError('locked', `Session ${place.id} is open in ${who}. ${wayOut}${ifGone}`)
}

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === code
}
