import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { HaftRuntime } from '../../runtime/haft-runtime.js'
import type { EnvironmentFacts, RepositoryFacts } from '../../session/context/system-prompt.js'
import { findSession, findSessionByPrefix } from '../../session/transcript/read/find-session.js'
import { continueLatest } from '../../session/transcript/read/list-sessions.js'
import { restoreRuntime } from '../../session/transcript/resume/carry-state.js'
import type { ResumedSession } from '../../session/transcript/resume/resume-session.js'
import { SessionError } from '../../session/transcript/storage/session-error.js'
import { findHolder } from '../../session/transcript/storage/session-lock.js'
import { openTranscript, type TranscriptOptions } from '../../session/transcript/write/open-transcript.js'
import type { Transcript } from '../../session/transcript/write/transcript.js'
import type { LoadedSettings } from '../../settings/load-settings.js'
import { isRecord } from '../../shared/is-record.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { CommandHost, CommandIo } from '../io/command.js'
import { asUsageError, UsageError } from '../io/exit.js'
import type { AgentOptions, SessionChoice } from '../options/agent-options.js'
import { readRepositoryFacts } from './repository-facts.js'

/** The transcript and the resumed session, if any. */
export interface OpenedConversation {
  readonly transcript: Transcript
  readonly resumedSession: ResumedSession | undefined
}

/** Opens the transcript of a new or resumed session. */
export async function openConversation(
  { shouldContinueLatest, resume, shouldFork, id }: SessionChoice,
  { isSaved = true, ...options }: TranscriptOptions & { readonly isSaved?: boolean },
): Promise<OpenedConversation> {
  try {
    if (!isSaved) return openUnsaved({ shouldContinueLatest, resume, shouldFork, id }, options)
    if (!shouldContinueLatest && resume === undefined)
      return {
        transcript: openTranscript({ ...options, ...(id !== undefined && { sessionId: id }) }),
        resumedSession: undefined,
      }
    const sessionId = shouldContinueLatest
      ? await findLatestSession(options)
      : findFullName(requireSessionName(resume), options)
    const [{ resumeSession }, { session, isCopyOfOpen }] = await Promise.all([
      import('../../session/transcript/resume/resume-session.js'),
      shouldFork ? copySession(sessionId, options, id) : { session: sessionId, isCopyOfOpen: false },
    ])
    const resumedSession = await resumeSession(session, { ...options, isCopyOfOpen })
    return { transcript: resumedSession.transcript, resumedSession }
  } catch (error) {
    throw error instanceof SessionError ? asUsageError(error) : error
  }
}

/** Opens a session that is not stored. To continue one without changing it, a copy is needed, which is stored. */
function openUnsaved(
  { shouldContinueLatest, resume, id }: SessionChoice,
  // That the session is not saved is no problem here.
  { onProblem: _, ...options }: TranscriptOptions,
): OpenedConversation {
  if (shouldContinueLatest || resume !== undefined)
    throw new UsageError('--no-session-persistence needs a new session, without --resume and --continue.')
  const sessionId = id === undefined ? {} : { sessionId: id }
  return { transcript: openTranscript({ ...options, ...sessionId, home: undefined }), resumedSession: undefined }
}

async function findLatestSession({ home, projectRoot }: TranscriptOptions): Promise<string> {
  const session = await continueLatest(home, projectRoot)
  if (session === undefined) throw new UsageError('no session to continue in this folder. Start one with haft -p "…".')
  return session.id
}

/** Returns the whole id for the beginning of an id. The path of a transcript stays as it is. */
function findFullName(name: string, { home, projectRoot }: TranscriptOptions): string {
  return name.includes('/') || name.endsWith('.jsonl') ? name : findSessionByPrefix(name, { home, projectRoot }).id
}

function requireSessionName(resume = ''): string {
  if (resume !== '') return resume
  throw new UsageError('missing session id: haft -p --resume ID. List the sessions of this folder with haft --resume.')
}

async function copySession(session: string, options: TranscriptOptions, id: string | undefined) {
  const { forkSession } = await import('../../session/transcript/resume/fork-session.js')
  const { home, projectRoot, isDurable = false } = options
  const isCopyOfOpen = findHolder(findSession(session, { home, projectRoot })) !== undefined
  const forkedSession = await forkSession(session, { home, projectRoot, isDurable, ...(id !== undefined && { id }) })
  return { session: forkedSession.id, isCopyOfOpen }
}

/**
 * Restores the state of a resumed session, such as loaded tools, known files, todos, plan mode and its worktree. Returns
 * what could not be restored, for the user and the model.
 */
export async function restoreSession(
  resumedSession: ResumedSession,
  runtime: HaftRuntime,
  { settings }: Pick<AgentOptions, 'settings'>,
): Promise<string | undefined> {
  const { mode, worktree } = resumedSession
  restoreRuntime(runtime, resumedSession)
  // Plan mode is restored; less strict modes must be requested again.
  if (mode === 'plan' && settings['permission-mode'] === undefined)
    await runtime.applyUpdates([{ type: 'setMode', destination: 'session', mode }])
  if (worktree === undefined) return undefined
  try {
    await runtime.reenterWorktree(worktree)
    return undefined
  } catch (error) {
    return `${reasonOf(error)} The session continues in ${runtime.cwd}.`
  }
}

interface EnvironmentSources {
  readonly io: Pick<CommandIo, 'platform'>
  readonly host: Pick<CommandHost, 'cwd'>
  readonly settings: Pick<LoadedSettings, 'projectRoot' | 'isTrusted' | 'permissionContext'>
}

interface PromptEnvironmentOptions {
  readonly model: string
  readonly isHeadless: boolean
  /** The saved state of a resumed session; undefined for a new session. */
  readonly savedState: Readonly<Record<string, unknown>> | undefined
}

/**
 * Returns the environment for the system prompt. A resumed session keeps its date and the state of its repository, so that the
 * prompt cache stays valid.
 */
export async function collectEnvironmentFacts(
  { io, host, settings }: EnvironmentSources,
  { model, isHeadless, savedState }: PromptEnvironmentOptions,
): Promise<EnvironmentFacts> {
  const { platform } = io
  const { projectRoot, isTrusted, permissionContext } = settings
  const isGitRepository = existsSync(join(projectRoot, '.git'))
  const facts = {
    ...{ cwd: host.cwd, platform, isGitRepository, model, isHeadless },
    shell: platform === 'win32' ? 'PowerShell' : 'bash',
    permissionMode: permissionContext.mode,
    additionalFolders: permissionContext.additionalWorkingDirectories.map(({ path }) => path),
  }
  const savedFacts = savedState?.surroundings
  const isSame =
    isRecord(savedFacts) &&
    Object.entries(facts).every(([key, value]) => JSON.stringify(savedFacts[key]) === JSON.stringify(value))
  if (isSame && typeof savedFacts.date === 'string')
    return { ...facts, date: savedFacts.date, repository: parseRepositoryFacts(savedFacts.repository) }
  const repository = isGitRepository ? await readRepositoryFacts(projectRoot, isTrusted) : undefined
  return { ...facts, date: formatToday(), repository }
}

/** Reads saved facts. A transcript may come from any version. */
function parseRepositoryFacts(value: unknown): RepositoryFacts | undefined {
  if (!isRecord(value)) return undefined
  const readList = (list: unknown) =>
    Array.isArray(list) ? list.filter((line) => typeof line === 'string') : undefined
  const [status, commits] = [readList(value.status), readList(value.commits)]
  return {
    ...(typeof value.branch === 'string' && { branch: value.branch }),
    ...(status !== undefined && { status }),
    ...(commits !== undefined && { commits }),
  }
}

function formatToday(): string {
  const now = new Date()
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}
