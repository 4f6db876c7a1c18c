import type { Message } from '../../contract/messages.js'
import type { ModelUsage } from '../../contract/model/model.js'
import type { ReadFileEntry } from '../../contract/ports/read-file-state.js'
import { counted } from '../../shared/counted.js'
import { findSession } from './find-session.js'
import { finishCalls, type UnfinishedCall } from './finish-calls.js'
import type { TranscriptOptions } from './open-transcript.js'
import { readSession, type SessionRecord } from './read-session.js'
import { lockSession } from './session-lock.js'
import { APP_STATE } from './state-writer.js'
import { Transcript } from './transcript.js'

/** A session to go on with. */
export interface ResumedSession {
  /** Goes on in the same file; others are kept out of it until it is closed. */
  readonly transcript: Transcript
  /** For `Conversation` and `runtime.restore`: each call has its result. */
  readonly messages: readonly Message[]
  /** Todos, plan and the like, for the state port. */
  readonly appState: Readonly<Record<string, unknown>>
  /** What was saved by `saveState`. */
  readonly state: Readonly<Record<string, unknown>>
  /** What the main agent knew of files, for its read-file state. */
  readonly readFiles: Iterable<readonly [path: string, entry: ReadFileEntry]>
  /** Where it worked last. */
  readonly cwd: string | undefined
  readonly mode: string | undefined
  readonly model: string | undefined
  readonly usage: ModelUsage
  readonly title: string | undefined
  readonly unfinished: readonly UnfinishedCall[]
  /** One line for the user where the session was cut off or a part of it is lost. */
  readonly notice: string | undefined
}

export interface ResumeOptions extends TranscriptOptions {
  /** It was copied just now from a session that another process works on. */
  readonly isCopyOfOpen?: boolean
}

/** Opens a session by its id or by the path of its transcript. No call is run; what was cut off is told. */
export async function resumeSession(
  session: string,
  { home, projectRoot, cwd, onProblem, isCopyOfOpen = false }: ResumeOptions,
): Promise<ResumedSession> {
  const place = findSession(session, { home, projectRoot })
  const lock = lockSession(place)
  try {
    const record = readSession(place)
    const { messages, unfinished } = finishCalls(record, { isCopyOfOpen })
    const transcript = new Transcript({
      ...{ sessionId: place.id, place, projectRoot, cwd, lock, onProblem },
      takenOver: { ...record, resultsOf: record.start?.resultsOf },
    })
    transcript.resumeWith(messages, record.messages)
    const notice = noticeOf(unfinished, record.unreadable, isCopyOfOpen)
    return resumedFrom(record, { transcript, messages, unfinished, notice })
  } catch (error) {
    lock.release()
    throw error
  }
}

function resumedFrom(
  { state, readFiles, model, usage, title, start }: SessionRecord,
  finished: Pick<ResumedSession, 'transcript' | 'messages' | 'unfinished' | 'notice'>,
): ResumedSession {
  const { cwd = start?.cwd, mode } = state
  return {
    ...finished,
    appState: appStateIn(state),
    ...{ state, readFiles, model, usage, title },
    cwd: textOrNothing(cwd),
    mode: textOrNothing(mode),
  }
}

function appStateIn(state: SessionRecord['state']): Record<string, unknown> {
  const entries = Object.entries(state).filter(([key]) => key.startsWith(APP_STATE))
  return Object.fromEntries(entries.map(([key, value]) => [key.slice(APP_STATE.length), value]))
}

function textOrNothing(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function noticeOf(
  unfinished: readonly UnfinishedCall[],
  unreadable: number,
  isCopyOfOpen: boolean,
): string | undefined {
  const lost = unreadable === 0 ? [] : [`${counted(unreadable, 'line')} of the session could not be read.`]
  const said = [...lost, ...(unfinished.length === 0 ? [] : [unfinishedLine(unfinished, isCopyOfOpen)])]
  return said.length === 0 ? undefined : said.join(' ')
}

function unfinishedLine(unfinished: readonly UnfinishedCall[], isCopyOfOpen: boolean): string {
  if (isCopyOfOpen) {
    const names = unfinished.map(({ toolName }) => toolName).join(', ')
    return `The session that this is a copy of is still at work: what becomes of ${names} is seen only there.`
  }
  const namesOf = (...fates: readonly UnfinishedCall['fate'][]) =>
    unfinished.flatMap(({ fate, toolName }) => (fates.includes(fate) ? [toolName] : []))
  const risky = namesOf('started', 'unknown')
  const idle = namesOf('asked', 'unstarted')
  const parts = [
    ...(risky.length > 0 ? [`${risky.join(', ')} may or may not have taken effect`] : []),
    ...(idle.length > 0 ? [`${idle.join(', ')} did not run`] : []),
  ]
  return `The session was cut off in the middle of its work: ${parts.join('; ')}.`
}
