import { findSession } from '../../../session/transcript/find-session.js'
import { continueLatest } from '../../../session/transcript/list-sessions.js'
import { openTranscript, type TranscriptOptions } from '../../../session/transcript/open-transcript.js'
import type { ResumedSession } from '../../../session/transcript/resume-session.js'
import { SessionError } from '../../../session/transcript/session-error.js'
import { holderOf } from '../../../session/transcript/session-lock.js'
import type { Transcript } from '../../../session/transcript/transcript.js'
import { asUsageError, UsageError } from '../../usage-error.js'
import type { SessionChoice } from './print-options.js'

/** Where what is said is written down, and what was said before. */
export interface OpenedConversation {
  readonly transcript: Transcript
  readonly resumed: ResumedSession | undefined
}

/** A new session, or the one that is gone on with. */
export async function openConversation(
  { latest, resume, fork, id }: SessionChoice,
  options: TranscriptOptions,
): Promise<OpenedConversation> {
  try {
    if (!latest && resume === undefined)
      return {
        transcript: openTranscript({ ...options, ...(id !== undefined && { sessionId: id }) }),
        resumed: undefined,
      }
    const wanted = latest ? await latestOf(options) : namedOf(resume)
    const [{ resumeSession }, { session, isCopyOfOpen }] = await Promise.all([
      import('../../../session/transcript/resume-session.js'),
      fork ? copyOf(wanted, options, id) : { session: wanted, isCopyOfOpen: false },
    ])
    const resumed = await resumeSession(session, { ...options, isCopyOfOpen })
    return { transcript: resumed.transcript, resumed }
  } catch (error) {
    throw error instanceof SessionError ? asUsageError(error) : error
  }
}

async function latestOf({ home, projectRoot }: TranscriptOptions): Promise<string> {
  const session = await continueLatest(home, projectRoot)
  if (session === undefined) throw new UsageError('there is no session of this folder to go on with.')
  return session.id
}

function namedOf(resume = ''): string {
  if (resume !== '') return resume
  throw new UsageError('say which session: -p --resume ID. haft --resume lists those of this folder.')
}

async function copyOf(session: string, options: TranscriptOptions, id: string | undefined) {
  const { forkSession } = await import('../../../session/transcript/fork-session.js')
  const { home, projectRoot } = options
  const isCopyOfOpen = holderOf(findSession(session, { home, projectRoot })) !== undefined
  const copy = await forkSession(session, { home, projectRoot, ...(id !== undefined && { id }) })
  return { session: copy.id, isCopyOfOpen }
}
