import { randomBytes } from 'node:crypto'
import { lstatSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { hasCode } from '../files/file-failure.js'
import { isOwnerGone, ownerMark } from '../files/owner-mark.js'

/** Of an owner on another machine nobody can tell whether it is gone. */
const MAX_TURN_MS = 24 * 60 * 60 * 1000

/** Keeps others from doing the same at a time; undefined where somebody does it already. Gives what ends the turn. */
export function takeTurn(place: string): (() => void) | undefined {
  if (!mark(place) && !(dropStale(place) && mark(place))) return undefined
  return () => rmSync(place, { force: true })
}

/** A link that leads nowhere says whose turn it is, and is there whole or not at all. */
function mark(place: string): boolean {
  try {
    symlinkSync(ownerMark(), place)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

function dropStale(place: string): boolean {
  if (!isStale(place)) return false
  const aside = `${place}.${randomBytes(6).toString('hex')}`
  try {
    renameSync(place, aside)
    // Somebody else may have dropped it first and have taken a turn: that one is given back.
    if (isStale(aside)) rmSync(aside)
    else renameSync(aside, place)
    return true
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return true
    throw error
  }
}

function isStale(place: string): boolean {
  try {
    return isOwnerGone(readlinkSync(place)) || Date.now() - lstatSync(place).mtimeMs > MAX_TURN_MS
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return true
    throw error
  }
}
