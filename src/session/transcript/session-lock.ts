import { type FileLock, LockHeldError, lockHolder, lockNow } from '../../system/file-lock.js'
import { isOnThisHost, type ProcessIdentity } from '../../system/processes/process-identity.js'
import { SessionError } from './session-error.js'
import type { SessionPlace } from './session-place.js'

export type SessionLock = Pick<FileLock, 'release'>

/** Opens a session for this process alone. Throws a `SessionError` if a process has it open already. */
export function lockSession(place: SessionPlace): SessionLock {
  try {
    return lockNow(place.lock)
  } catch (error) {
    throw error instanceof LockHeldError ? lockedError(place, error.holder) : error
  }
}

/** The process that has a session open, if any has. */
export function holderOf(place: SessionPlace): ProcessIdentity | undefined {
  return lockHolder(place.lock)
}

function lockedError(place: SessionPlace, holder: ProcessIdentity): SessionError {
  const isHere = isOnThisHost(holder)
  const where = isHere ? '' : ' on another machine or in another container'
  const ifGone = isHere ? '' : ` If that is gone, remove ${place.lock}.`
  const who = isHere && holder.pid === process.pid ? 'this process' : `process ${holder.pid}${where}`
  const wayOut = 'End it there, or go on with a copy: --fork-session.'
  return new SessionError('locked', `Session ${place.id} is open in ${who}. ${wayOut}${ifGone}`)
}
