import { lstatSync } from 'node:fs'
import { toPrintable } from '../../../shared/printable.js'
import type { SecretMasker } from '../../../shared/secret-masker.js'
import { SessionError } from '../storage/session-error.js'
import { lockSession, type SessionLock } from '../storage/session-lock.js'
import { createSessionId, getProjectFolder, isSessionId, SessionPaths } from '../storage/session-paths.js'
import { Transcript } from './transcript.js'

/** Where a new transcript is written, and how problems are reported. */
export interface TranscriptOptions {
  /** The user's home folder. Without it the session is not saved. */
  readonly home: string | undefined
  readonly projectRoot: string
  readonly cwd: string
  /** Called once, with one line for the user, when the session cannot be saved. */
  readonly onProblem?: (message: string) => void
  /** Whether each line must survive a power failure, which costs a few milliseconds per line. Default: false. */
  readonly isDurable?: boolean
  /** Masks secrets in every line. */
  readonly secrets?: SecretMasker | undefined
  /** Receives every line that is written, for a second copy. */
  readonly onLine?: ((line: string, agentId: string | undefined) => void) | undefined
}

/** Opens the transcript of a new session. `sessionId` must not have been used before. */
export function openTranscript({ sessionId, ...options }: TranscriptOptions & { sessionId?: string }): Transcript {
  const { home, projectRoot } = options
  const id = sessionId ?? createSessionId()
  if (!isSessionId(id))
    throw new SessionError(
      'bad_id',
      `"${toPrintable(id.slice(0, 100))}" is not a valid session id. Use up to 100 letters, digits, - and _.`,
    )
  const paths = home === undefined ? undefined : new SessionPaths(getProjectFolder(home, projectRoot), id)
  const lock = sessionId === undefined || paths === undefined ? undefined : lockUnused(paths)
  return new Transcript({ ...options, sessionId: id, paths, lock })
}

/** Locks a session whose id the caller chose, and throws if it exists. A random id is always unused. */
function lockUnused(paths: SessionPaths): SessionLock | undefined {
  const lock = tryToLock(paths)
  if (lstatSync(paths.transcript, { throwIfNoEntry: false }) === undefined) return lock
  lock?.release()
  throw new SessionError('exists', `Session ${paths.id} already exists. Resume it with --resume ${paths.id}.`)
}

function tryToLock(paths: SessionPaths): SessionLock | undefined {
  try {
    return lockSession(paths)
  } catch (error) {
    if (error instanceof SessionError) throw error
    // If the lock cannot be written, neither can the first line, which reports the problem.
    return undefined
  }
}
