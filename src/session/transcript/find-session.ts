import { lstatSync, readdirSync } from 'node:fs'
import { join, sep } from 'node:path'
import { SessionError } from './session-error.js'
import { projectFolder, projectsRoot, SessionPlace } from './session-place.js'

export interface SessionSearch {
  readonly home: string | undefined
  readonly projectRoot: string
}

/** Finds a session by the path of its transcript, or by its id: in this project, then in others. */
export function findSession(session: string, { home, projectRoot }: SessionSearch): SessionPlace {
  if (session.includes(sep) || session.includes('/') || session.endsWith('.jsonl')) return ofFile(session)
  const folder = home === undefined ? undefined : projectFolder(home, projectRoot)
  // Says what is wrong with an id that is none.
  const place = new SessionPlace(folder ?? '', session)
  if (home === undefined || folder === undefined) {
    throw new SessionError('not_found', 'No session is kept: there is no home folder.')
  }
  if (isThere(place)) return place
  const elsewhere = otherFolders(home).map((name) => new SessionPlace(join(projectsRoot(home), name), session))
  const found = elsewhere.find(isThere)
  if (found === undefined) throw new SessionError('not_found', `There is no session ${session} of this project.`)
  return found
}

/** Nothing is made where there is nothing. */
function ofFile(path: string): SessionPlace {
  const place = SessionPlace.ofFile(path)
  if (lstatSync(place.transcript, { throwIfNoEntry: false }) !== undefined) return place
  throw new SessionError('not_found', `There is no transcript ${place.transcript}.`)
}

function isThere(place: SessionPlace): boolean {
  return lstatSync(place.transcript, { throwIfNoEntry: false })?.isFile() === true
}

function otherFolders(home: string): readonly string[] {
  try {
    return readdirSync(projectsRoot(home), { withFileTypes: true }).flatMap((entry) => {
      return entry.isDirectory() ? [entry.name] : []
    })
  } catch {
    // Nobody has saved a session yet.
    return []
  }
}
