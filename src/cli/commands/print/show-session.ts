import { findSession } from '../../../session/transcript/find-session.js'
import { type ListedSession, listSessions } from '../../../session/transcript/list-sessions.js'
import { readSession } from '../../../session/transcript/read-session.js'
import { SessionError } from '../../../session/transcript/session-error.js'
import { findProjectRoot } from '../../../settings/files/find-project-root.js'
import { printable } from '../../../shared/printable.js'
import type { CommandIo } from '../../command.js'
import { EXIT } from '../../exit-codes.js'
import { asUsageError, UsageError } from '../../usage-error.js'
import type { SessionChoice } from './print-options.js'
import { transcriptText } from './transcript-text.js'

/** Sessions that a list shows; more would be scrolled past. */
const MAX_LISTED = 50

/** Shows a session, or which there are. It needs no model. */
export async function showSession(io: CommandIo, { latest, resume = '' }: SessionChoice): Promise<number> {
  const host = await io.host()
  const projectRoot = await findProjectRoot({ cwd: host.cwd, home: host.homeDir })
  if (resume !== '') return show(io, resume, projectRoot)
  const sessions = await listSessions(io.homeDir, projectRoot)
  const [newest, ...others] = sessions
  if (newest === undefined) throw new UsageError('there is no session of this folder yet. haft -p "…" begins one.')
  if (latest || others.length === 0) return show(io, newest.id, projectRoot)
  io.out(`${sessions.slice(0, MAX_LISTED).map(sessionLine).join('\n')}\n`)
  io.err('haft --resume ID shows one; haft -p --resume ID "…" goes on with it.\n')
  return EXIT.done
}

async function show(io: CommandIo, session: string, projectRoot: string): Promise<number> {
  try {
    const place = findSession(session, { home: io.homeDir, projectRoot })
    const { messages, title } = readSession(place)
    const host = await io.host()
    for (const part of transcriptText(messages)) await host.write(part)
    io.err(`${title === undefined ? '' : `${printable(title)}\n`}Go on with it: haft -p --resume ${place.id} "…"\n`)
    return EXIT.done
  } catch (error) {
    throw error instanceof SessionError ? asUsageError(error) : error
  }
}

function sessionLine({ id, lastAt, messages, title, isOpen }: ListedSession): string {
  const when = new Date(lastAt).toISOString().slice(0, 16).replace('T', ' ')
  const count = messages === undefined ? '' : `${messages} messages`
  return [id, when, count.padEnd(13), `${isOpen ? '(open) ' : ''}${printable(title ?? '')}`].join('  ').trimEnd()
}
