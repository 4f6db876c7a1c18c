import { lstatSync } from 'node:fs'
import { printable } from '../../../shared/printable.js'
import { SessionError } from '../storage/session-error.js'
import { lockSession, type SessionLock } from '../storage/session-lock.js'
import { isSessionId, newSessionId, projectFolder, SessionPlace } from '../storage/session-place.js'
import { Transcript } from './transcript.js'

/** Where a new transcript is written, and how problems are reported. */
export interface TranscriptOptions {
  /** The user's home folder. Without it the session is not saved. */
  readonly home: string | undefined
  readonly projectRoot: string
  readonly cwd: string
  /** Called once, with one line for the user, when the session cannot be saved. */
  readonly onProblem?: (message: string) => void
}

/** Opens the transcript of a new session. `sessionId` must not have been used before. */
export function openTranscript({ sessionId, ...options }: TranscriptOptions & { sessionId?: string }): Transcript {
  const { home, projectRoot } = options
  const id = sessionId ?? newSessionId()
  if (!isSessionId(id))
    throw new SessionError(
      'bad_id',
      `"${printable(id.slice(0, 100))}" is not a valid session id. Use up to 100 letters, digits, - and _.`,
    )
  const place = home === undefined ? undefined : new SessionPlace(projectFolder(home, projectRoot), id)
  const lock = sessionId === undefined || place === undefined ? undefined : lockUnused(place)
  return new Transcript({ ...options, sessionId: id, place, lock })
}

/** Needed only for an id chosen by the caller: a random id cannot be taken. */
function lockUnused(place: SessionPlace): SessionLock | undefined {
  const lock = tryToLock(place)
  if (lstatSync(place.transcript, { throwIfNoEntry: false }) === undefined) return lock
  lock?.release()
  throw new SessionError('exists', `Session ${place.id} already exists. Resume it with --resume ${place.id}.`)
}

function tryToLock(place: SessionPlace): SessionLock | undefined {
  try {
    return lockSession(place)
  } catch (error) {
    if (error instanceof SessionError) throw error
    // If the lock cannot be written, neither can the first line, which reports the problem.
    return undefined
  }
}
