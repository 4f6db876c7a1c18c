import { type FileLock, findLockHolder, LockHeldError, lockNow } from '../../../system/file-lock.js'
import { isOnThisHost, type ProcessIdentity } from '../../../system/processes/process-identity.js'
import { SessionError } from './session-error.js'
import type { SessionPaths } from './session-paths.js'

export type SessionLock = Pick<FileLock, 'release'>

/** Locks a session for this process. Throws a `SessionError` if a process has it open already. */
export function lockSession(paths: SessionPaths): SessionLock {
  try {
    return lockNow(paths.lock)
  } catch (error) {
    throw error instanceof LockHeldError ? createLockedError(paths, error.holder) : error
  }
}

/** Returns the process that has a session open, if there is one. */
export function findHolder(paths: SessionPaths): ProcessIdentity | undefined {
  return findLockHolder(paths.lock)
}

function createLockedError(paths: SessionPaths, holder: ProcessIdentity): SessionError {
  const isLocal = isOnThisHost(holder)
  const hostText = isLocal ? '' : ' on another machine or in another container'
  const staleLockAdvice = isLocal ? '' : ` If that process has ended, remove ${paths.lock}.`
  const holderText = isLocal && holder.pid === process.pid ? 'this process' : `process ${holder.pid}${hostText}`
  const advice = 'End it there, or continue with a copy: --fork-session.'
  return new SessionError('locked', `Session ${paths.id} is open in ${holderText}. ${advice}${staleLockAdvice}`)
}
