import type { Message } from '../../../contract/messages.js'
import type { ModelUsage } from '../../../contract/model/model.js'
import type { ReadFileEntry } from '../../../contract/ports/read-file-state.js'
import { formatCounted } from '../../../shared/counted.js'
import { findSession } from '../read/find-session.js'
import { readSession, type SessionRecord } from '../read/read-session.js'
import { lockSession } from '../storage/session-lock.js'
import type { TranscriptOptions } from '../write/open-transcript.js'
import { APP_STATE_PREFIX } from '../write/state-writer.js'
import { Transcript } from '../write/transcript.js'
import { finishCalls, type UnfinishedCall } from './finish-calls.js'

/** The result of `resumeSession`: the open transcript, and what was saved in it. */
export interface ResumedSession {
  /** Continues the same file. The session stays locked until the transcript is closed. */
  readonly transcript: Transcript
  /** The messages for `Conversation` and `runtime.restore`. Every call has a result. */
  readonly messages: readonly Message[]
  /** Todos, plan and similar values for the state port. */
  readonly appState: Readonly<Record<string, unknown>>
  /** All saved values, including those saved with `saveState`. */
  readonly state: Readonly<Record<string, unknown>>
  /** The main agent's read-file state. */
  readonly readFiles: Iterable<readonly [path: string, entry: ReadFileEntry]>
  /** The working directory at the end of the session. */
  readonly cwd: string | undefined
  readonly mode: string | undefined
  /** The name of the git worktree that the session worked in. */
  readonly worktree: string | undefined
  readonly model: string | undefined
  readonly usage: ModelUsage
  readonly title: string | undefined
  readonly unfinished: readonly UnfinishedCall[]
  /** One line for the user if the session was interrupted or lines of it are unreadable. */
  readonly notice: string | undefined
}

export interface ResumeOptions extends TranscriptOptions {
  /** Whether the session was just copied from a session that another process has open. */
  readonly isCopyOfOpen?: boolean
}

/** Opens a session by its id or by the path of its transcript. Interrupted calls are reported, never run again. */
export async function resumeSession(
  session: string,
  { home, projectRoot, isCopyOfOpen = false, ...options }: ResumeOptions,
): Promise<ResumedSession> {
  const paths = findSession(session, { home, projectRoot })
  const lock = lockSession(paths)
  try {
    const record = readSession(paths)
    const { messages, unfinishedCalls } = finishCalls(record, { isCopyOfOpen })
    const transcript = new Transcript({
      ...{ ...options, sessionId: paths.id, paths, projectRoot, lock },
      existing: { ...record, resultsOf: record.start?.resultsOf },
    })
    transcript.resumeWith(messages, record.messages)
    const notice = createNotice(unfinishedCalls, record.unreadableCount, isCopyOfOpen)
    return toResumedSession(record, { transcript, messages, unfinished: unfinishedCalls, notice })
  } catch (error) {
    lock.release()
    throw error
  }
}

function toResumedSession(
  { state, readFiles, model, usage, title, start }: SessionRecord,
  finishedSession: Pick<ResumedSession, 'transcript' | 'messages' | 'unfinished' | 'notice'>,
): ResumedSession {
  const { cwd = start?.cwd, mode, worktree } = state
  return {
    ...finishedSession,
    appState: appStateOf(state),
    ...{ state, readFiles, model, usage, title },
    cwd: asString(cwd),
    mode: asString(mode),
    worktree: asString(worktree),
  }
}

function appStateOf(state: SessionRecord['state']): Record<string, unknown> {
  const entries = Object.entries(state).filter(([key]) => key.startsWith(APP_STATE_PREFIX))
  return Object.fromEntries(entries.map(([key, value]) => [key.slice(APP_STATE_PREFIX.length), value]))
}

function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function createNotice(
  unfinishedCalls: readonly UnfinishedCall[],
  unreadableCount: number,
  isCopyOfOpen: boolean,
): string | undefined {
  const unreadableNotes =
    unreadableCount === 0 ? [] : [`${formatCounted(unreadableCount, 'line')} of the session could not be read.`]
  const lines = [
    ...unreadableNotes,
    ...(unfinishedCalls.length === 0 ? [] : [describeUnfinished(unfinishedCalls, isCopyOfOpen)]),
  ]
  return lines.length === 0 ? undefined : lines.join(' ')
}

function describeUnfinished(unfinishedCalls: readonly UnfinishedCall[], isCopyOfOpen: boolean): string {
  if (isCopyOfOpen) {
    const names = unfinishedCalls.map(({ toolName }) => toolName).join(', ')
    return `The original session is still running: the results of ${names} appear only there.`
  }
  const namesOf = (...outcomes: readonly UnfinishedCall['outcome'][]) =>
    unfinishedCalls.flatMap(({ outcome, toolName }) => (outcomes.includes(outcome) ? [toolName] : []))
  const uncertainNames = namesOf('started', 'unknown')
  const skippedNames = namesOf('asked', 'unstarted')
  const parts = [
    ...(uncertainNames.length > 0 ? [`${uncertainNames.join(', ')} may or may not have taken effect`] : []),
    ...(skippedNames.length > 0 ? [`${skippedNames.join(', ')} did not run`] : []),
  ]
  return `The session was interrupted during tool calls: ${parts.join('; ')}.`
}
