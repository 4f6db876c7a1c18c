import { readFile } from 'node:fs/promises'
import { getProjectFolder, SessionPaths } from '../../src/session/transcript/storage/session-paths.js'

/** The place where a session is stored, with the path of its transcript. */
export function getSessionPaths(home: string, project: string, session: string): SessionPaths {
  return new SessionPaths(getProjectFolder(home, project), session)
}

/** The lines of a transcript; fails if one of them cannot be parsed. */
export async function readTranscriptLines(
  home: string,
  project: string,
  session: string,
): Promise<readonly Record<string, unknown>[]> {
  const text = await readFile(getSessionPaths(home, project, session).transcript, 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}
