import { lstatSync } from 'node:fs'
import { printable } from '../../shared/printable.js'
import { SessionError } from './session-error.js'
import { lockSession, type SessionLock } from './session-lock.js'
import { isSessionId, newSessionId, projectFolder, SessionPlace } from './session-place.js'
import { Transcript } from './transcript.js'

export interface TranscriptOptions {
  /** The user's own folder; without one the session goes on unsaved. */
  readonly home: string | undefined
  readonly projectRoot: string
  readonly cwd: string
  /** One line for the user, told once: what happens now is not saved. */
  readonly onProblem?: (message: string) => void
}

/** The transcript of a new session. An id of the caller's own must not have been used. */
export function openTranscript({ sessionId, ...options }: TranscriptOptions & { sessionId?: string }): Transcript {
  const { home, projectRoot } = options
  const id = sessionId ?? newSessionId()
  if (!isSessionId(id)) throw new SessionError('bad_id', `"${printable(id.slice(0, 100))}" is no id for a session.`)
  const place = home === undefined ? undefined : new SessionPlace(projectFolder(home, projectRoot), id)
  const lock = sessionId === undefined || place === undefined ? undefined : lockUnused(place)
  return new Transcript({ ...options, sessionId: id, place, lock })
}

/** A random id is nobody else's; one that was chosen may be. */
function lockUnused(place: SessionPlace): SessionLock | undefined {
  const lock = tryToLock(place)
  if (lstatSync(place.transcript, { throwIfNoEntry: false }) === undefined) return lock
  lock?.release()
  throw new SessionError('exists', `There is a session ${place.id} already. Go on with it: --resume ${place.id}.`)
}

function tryToLock(place: SessionPlace): SessionLock | undefined {
  try {
    return lockSession(place)
  } catch (error) {
    if (error instanceof SessionError) throw error
    // A disk that takes no lock takes no line either: the first of them says so.
    return undefined
  }
}
