import { lstatSync, readdirSync } from 'node:fs'
import { join, sep } from 'node:path'
import { SessionError } from '../storage/session-error.js'
import { getProjectFolder, getProjectsRoot, parseTranscriptId, SessionPaths } from '../storage/session-paths.js'

export interface FindSessionOptions {
  readonly home: string | undefined
  readonly projectRoot: string
}

/** Finds a session by the path of its transcript, or by its id: in this project, then in others. */
export function findSession(session: string, { home, projectRoot }: FindSessionOptions): SessionPaths {
  if (session.includes(sep) || session.includes('/') || session.endsWith('.jsonl')) return findFile(session)
  const folder = home === undefined ? undefined : getProjectFolder(home, projectRoot)
  // Throws if the id is invalid.
  const paths = new SessionPaths(folder ?? '', session)
  if (home === undefined || folder === undefined) {
    throw new SessionError('not_found', 'Sessions are not saved, because there is no home folder.')
  }
  if (doesSessionExist(paths)) return paths
  const otherSessions = listProjectFolderNames(home).map(
    (name) => new SessionPaths(join(getProjectsRoot(home), name), session),
  )
  const otherSession = otherSessions.find(doesSessionExist)
  if (otherSession === undefined)
    throw new SessionError('not_found', `There is no session ${session} in this or any other project.`)
  return otherSession
}

/** Fewer characters would often match several sessions. */
const MIN_PREFIX_CHARS = 4

/** Finds a session like `findSession`, or by the beginning of its id. For names that a person types. */
export function findSessionByPrefix(name: string, options: FindSessionOptions): SessionPaths {
  try {
    return findSession(name, options)
  } catch (error) {
    const { home, projectRoot } = options
    if (!(error instanceof SessionError) || home === undefined || name.length < MIN_PREFIX_CHARS) throw error
    const ownSessions = listByPrefix(getProjectFolder(home, projectRoot), name)
    const folders = listProjectFolderNames(home).map((folder) => join(getProjectsRoot(home), folder))
    const sessions = ownSessions.length > 0 ? ownSessions : folders.flatMap((folder) => listByPrefix(folder, name))
    const [session, ...others] = sessions
    if (session === undefined) throw error
    if (others.length === 0) return session
    const ids = sessions.map(({ id }) => id).join(', ')
    throw new SessionError('not_found', `Several sessions start with ${name}: ${ids}. Use more characters of the id.`)
  }
}

function listByPrefix(folder: string, prefix: string): readonly SessionPaths[] {
  try {
    const ids = readdirSync(folder).flatMap((name) => parseTranscriptId(name) ?? [])
    return ids.filter((id) => id.startsWith(prefix)).map((id) => new SessionPaths(folder, id))
  } catch {
    // The project has no sessions.
    return []
  }
}

function findFile(path: string): SessionPaths {
  const paths = SessionPaths.fromFile(path)
  if (lstatSync(paths.transcript, { throwIfNoEntry: false }) !== undefined) return paths
  throw new SessionError('not_found', `Transcript ${paths.transcript} does not exist.`)
}

function doesSessionExist(paths: SessionPaths): boolean {
  return lstatSync(paths.transcript, { throwIfNoEntry: false })?.isFile() === true
}

function listProjectFolderNames(home: string): readonly string[] {
  try {
    return readdirSync(getProjectsRoot(home), { withFileTypes: true }).flatMap((entry) => {
      return entry.isDirectory() ? [entry.name] : []
    })
  } catch {
    // No session has been saved yet.
    return []
  }
}
