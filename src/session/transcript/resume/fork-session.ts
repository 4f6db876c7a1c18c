import { createReadStream, existsSync } from 'node:fs'
import { cp, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFileAt, syncFolder } from '../../../system/sync-to-disk.js'
import { writeFileAtomically } from '../../../system/write-file-atomically.js'
import { type FindSessionOptions, findSession } from '../read/find-session.js'
import { readHead } from '../read/list-sessions.js'
import { readSession } from '../read/read-session.js'
import { SessionError } from '../storage/session-error.js'
import { createSessionId, SessionPaths } from '../storage/session-paths.js'
import { serialiseEntry, TRANSCRIPT_VERSION } from '../storage/transcript-entry.js'

interface ForkOptions extends FindSessionOptions {
  readonly id?: string
  /** Whether the copy must survive a power failure. Default: false. */
  readonly isDurable?: boolean
}

/** Copies a session to a new id. The original is not changed, and another process may have it open. */
export async function forkSession(
  session: string,
  { id = createSessionId(), isDurable = false, ...findOptions }: ForkOptions,
): Promise<SessionPaths> {
  const from = findSession(session, findOptions)
  const to = new SessionPaths(from.folder, id)
  if (existsSync(to.transcript)) throw new SessionError('exists', `Session ${id} already exists. Choose another id.`)
  const header = serialiseEntry(await createStartEntry(from, to.id, findOptions.projectRoot))
  async function* readLines(): AsyncIterable<Uint8Array | string> {
    yield `${header}\n`
    yield* createReadStream(from.transcript)
  }
  await writeFileAtomically(to.transcript, readLines(), {
    mode: 0o600,
    isDurable,
    beforeRename: () => copyAgents(from, to, isDurable).catch(ignoreMissing),
  })
  return to
}

async function copyAgents(from: SessionPaths, to: SessionPaths, isDurable: boolean): Promise<void> {
  const folder = join(to.attached, 'agents')
  await cp(join(from.attached, 'agents'), folder, { recursive: true })
  if (!isDurable) return
  for (const name of await readdir(folder)) syncFileAt(join(folder, name))
  for (const path of [folder, to.attached, to.folder]) await syncFolder(path)
}

async function createStartEntry(from: SessionPaths, id: string, projectRoot: string) {
  const handle = await open(from.transcript).catch((cause) => {
    throw new SessionError('not_found', `There is no session ${from.id} to copy.`, { cause })
  })
  const { start } = await readHead(handle).finally(() => handle.close())
  // Throws if the file is not a session: with its new first line the copy would look like one.
  if (start === undefined) readSession(from)
  const textOf = (value: unknown, fallback: string) => (typeof value === 'string' ? value : fallback)
  return {
    ...({ type: 'session-started', version: TRANSCRIPT_VERSION, id } as const),
    cwd: textOf(start?.cwd, projectRoot),
    projectRoot: textOf(start?.projectRoot, projectRoot),
    at: Date.now(),
    forkedFrom: from.id,
    // Messages refer to result files by path, so the copy must share the folder.
    resultsOf: textOf(start?.resultsOf, from.id),
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
