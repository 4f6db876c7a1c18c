import { createReadStream, existsSync } from 'node:fs'
import { cp, open } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomically } from '../../system/write-file-atomically.js'
import { findSession, type SessionSearch } from './find-session.js'
import { lookAtHead } from './list-sessions.js'
import { readSession } from './read-session.js'
import { SessionError } from './session-error.js'
import { newSessionId, SessionPlace } from './session-place.js'
import { entryLine, TRANSCRIPT_VERSION } from './transcript-entry.js'

/** Copies a session under a new id, to be resumed by it; the original stays as it is, even where a process has it open. */
export async function forkSession(
  session: string,
  { id = newSessionId(), ...search }: SessionSearch & { readonly id?: string },
): Promise<SessionPlace> {
  const from = findSession(session, search)
  const to = new SessionPlace(from.folder, id)
  if (existsSync(to.transcript)) throw new SessionError('exists', `There is a session ${id} already.`)
  const header = entryLine(await startOf(from, to.id, search.projectRoot))
  async function* lines(): AsyncIterable<Uint8Array | string> {
    yield `${header}\n`
    yield* createReadStream(from.transcript)
  }
  await writeFileAtomically(to.transcript, lines(), {
    mode: 0o600,
    isDurable: false,
    beforeRename: () =>
      cp(join(from.attached, 'agents'), join(to.attached, 'agents'), { recursive: true }).catch(ignoreMissing),
  })
  return to
}

async function startOf(from: SessionPlace, id: string, projectRoot: string) {
  const handle = await open(from.transcript).catch((cause) => {
    throw new SessionError('not_found', `There is no session ${from.id} to copy.`, { cause })
  })
  const { start } = await lookAtHead(handle).finally(() => handle.close())
  // With a beginning of its own a copy would look like a session, whatever is in it.
  if (start === undefined) readSession(from)
  const textOf = (value: unknown, otherwise: string) => (typeof value === 'string' ? value : otherwise)
  return {
    ...({ type: 'session-started', version: TRANSCRIPT_VERSION, id } as const),
    cwd: textOf(start?.cwd, projectRoot),
    projectRoot: textOf(start?.projectRoot, projectRoot),
    at: Date.now(),
    forkedFrom: from.id,
    // Messages name the files of results by their path.
    resultsOf: textOf(start?.resultsOf, from.id),
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
