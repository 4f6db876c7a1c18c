import { readFile } from 'node:fs/promises'
import { projectFolder, SessionPlace } from '../../src/session/transcript/session-place.js'

/** Where the transcript of a session lies. */
export function transcriptOf(home: string, project: string, session: string): SessionPlace {
  return new SessionPlace(projectFolder(home, project), session)
}

/** The lines of a transcript; fails where one of them cannot be read. */
export async function transcriptLines(
  home: string,
  project: string,
  session: string,
): Promise<readonly Record<string, unknown>[]> {
  const text = await readFile(transcriptOf(home, project, session).transcript, 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}
