import { type FileLock, LockHeldError, lockHolder, lockNow } from '../../../system/file-lock.js'
import { isOnThisHost, type ProcessIdentity } from '../../../system/processes/process-identity.js'
import { SessionError } from './session-error.js'
import type { SessionPlace } from './session-place.js'

export type SessionLock = Pick<FileLock, 'release'>

/** Locks a session for this process. Throws a `SessionError` if a process has it open already. */
export function lockSession(place: SessionPlace): SessionLock {
  try {
    return lockNow(place.lock)
  } catch (error) {
    throw error instanceof LockHeldError ? lockedError(place, error.holder) : error
  }
}

/** Returns the process that has a session open, if there is one. */
export function holderOf(place: SessionPlace): ProcessIdentity | undefined {
  return lockHolder(place.lock)
}

function lockedError(place: SessionPlace, holder: ProcessIdentity): SessionError {
  const isLocal = isOnThisHost(holder)
  const placeText = isLocal ? '' : ' on another machine or in another container'
  const staleLockAdvice = isLocal ? '' : ` If that process has ended, remove ${place.lock}.`
  const holderText = isLocal && holder.pid === process.pid ? 'this process' : `process ${holder.pid}${placeText}`
  const advice = 'End it there, or continue with a copy: --fork-session.'
  return new SessionError('locked', `Session ${place.id} is open in ${holderText}. ${advice}${staleLockAdvice}`)
}
