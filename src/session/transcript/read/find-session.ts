import { lstatSync, readdirSync } from 'node:fs'
import { join, sep } from 'node:path'
import { SessionError } from '../storage/session-error.js'
import { projectFolder, projectsRoot, SessionPlace } from '../storage/session-place.js'

export interface SessionSearch {
  readonly home: string | undefined
  readonly projectRoot: string
}

/** Finds a session by the path of its transcript, or by its id: in this project, then in others. */
export function findSession(session: string, { home, projectRoot }: SessionSearch): SessionPlace {
  if (session.includes(sep) || session.includes('/') || session.endsWith('.jsonl')) return placeOfFile(session)
  const folder = home === undefined ? undefined : projectFolder(home, projectRoot)
  // Throws if the id is invalid.
  const place = new SessionPlace(folder ?? '', session)
  if (home === undefined || folder === undefined) {
    throw new SessionError('not_found', 'Sessions are not saved, because there is no home folder.')
  }
  if (exists(place)) return place
  const otherPlaces = projectFolderNames(home).map((name) => new SessionPlace(join(projectsRoot(home), name), session))
  const otherPlace = otherPlaces.find(exists)
  if (otherPlace === undefined)
    throw new SessionError('not_found', `There is no session ${session} in this or any other project.`)
  return otherPlace
}

function placeOfFile(path: string): SessionPlace {
  const place = SessionPlace.ofFile(path)
  if (lstatSync(place.transcript, { throwIfNoEntry: false }) !== undefined) return place
  throw new SessionError('not_found', `Transcript ${place.transcript} does not exist.`)
}

function exists(place: SessionPlace): boolean {
  return lstatSync(place.transcript, { throwIfNoEntry: false })?.isFile() === true
}

function projectFolderNames(home: string): readonly string[] {
  try {
    return readdirSync(projectsRoot(home), { withFileTypes: true }).flatMap((entry) => {
      return entry.isDirectory() ? [entry.name] : []
    })
  } catch {
    // No session has been saved yet.
    return []
  }
}
