import { type FindSessionOptions, findSessionByPrefix } from '../../../session/transcript/read/find-session.js'
import { SessionError } from '../../../session/transcript/storage/session-error.js'
import type { SessionPaths } from '../../../session/transcript/storage/session-paths.js'
import { asUsageError } from '../../io/exit.js'

/** Finds a session that the user named, by its id, the beginning of its id, or the path of its transcript. */
export function findNamedSession(name: string, options: FindSessionOptions): SessionPaths {
  try {
    return findSessionByPrefix(name, options)
  } catch (error) {
    throw error instanceof SessionError ? asUsageError(error) : error
  }
}
