import { appendFile, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { findHomeFolder } from '../cli/io/home-folder.js'
import type { Message } from '../contract/messages.js'
import { findSession } from '../session/transcript/read/find-session.js'
import { type ListedSession, listSessions as listStoredSessions } from '../session/transcript/read/list-sessions.js'
import { readSession } from '../session/transcript/read/read-session.js'
import { forkSession as forkStoredSession } from '../session/transcript/resume/fork-session.js'
import { SessionError } from '../session/transcript/storage/session-error.js'
import { lockSession } from '../session/transcript/storage/session-lock.js'
import type { SessionPaths } from '../session/transcript/storage/session-paths.js'
import { serialiseEntry, type TranscriptEntry } from '../session/transcript/storage/transcript-entry.js'
import { findProjectRoot } from '../settings/files/find-project-root.js'

/** Where sessions are looked for. */
export interface SessionFolderOptions {
  /** A folder of the project. Default: the working folder. */
  readonly dir?: string
}

/** Facts about a stored session. */
export interface SDKSessionInfo {
  readonly sessionId: string
  /** The title, or the beginning of the first prompt. */
  readonly summary: string
  /** Milliseconds since the epoch. */
  readonly lastModified: number
  readonly customTitle?: string
  readonly cwd?: string
  readonly tag?: string
  readonly createdAt?: number
}

/** A message of a stored session. */
export interface SessionMessage {
  readonly type: 'user' | 'assistant' | 'system'
  readonly uuid: string
  readonly session_id: string
  readonly message: unknown
  readonly parent_tool_use_id: null
}

/** Lists the sessions of a project, newest first. */
export async function listSessions(
  options: SessionFolderOptions & { readonly limit?: number; readonly offset?: number } = {},
): Promise<readonly SDKSessionInfo[]> {
  const { home, projectRoot } = await findFolders(options)
  const { offset = 0, limit = Number.POSITIVE_INFINITY } = options
  const sessions = await listStoredSessions(home, projectRoot)
  return sessions.slice(offset, offset + limit).map((session) => toInfo(session))
}

/** Returns facts about a session; undefined if it does not exist. */
export async function getSessionInfo(
  sessionId: string,
  options: SessionFolderOptions = {},
): Promise<SDKSessionInfo | undefined> {
  const { home, projectRoot } = await findFolders(options)
  const session = (await listStoredSessions(home, projectRoot)).find(({ id }) => id === sessionId)
  if (session === undefined) return undefined
  const { tag } = readSession(findSession(sessionId, { home, projectRoot })).state
  return toInfo(session, typeof tag === 'string' ? tag : undefined)
}

/** Returns the messages of a session in order, with the results of calls. */
export async function getSessionMessages(
  sessionId: string,
  options: SessionFolderOptions & {
    readonly limit?: number
    readonly offset?: number
    readonly includeSystemMessages?: boolean
  } = {},
): Promise<readonly SessionMessage[]> {
  const { offset = 0, limit = Number.POSITIVE_INFINITY, includeSystemMessages = false } = options
  const { messages } = readSession(await findPaths(sessionId, options))
  return messages
    .flatMap((message, index) => toSessionMessage(message, sessionId, index))
    .filter(({ type }) => includeSystemMessages || type !== 'system')
    .slice(offset, offset + limit)
}

/** Copies a session, and returns the id of the copy. */
export async function forkSession(
  sessionId: string,
  options: SessionFolderOptions & { readonly title?: string } = {},
): Promise<{ readonly sessionId: string }> {
  const { home, projectRoot } = await findFolders(options)
  const { id } = await forkStoredSession(sessionId, { home, projectRoot })
  if (options.title !== undefined) await renameSession(id, options.title, options)
  return { sessionId: id }
}

/** Sets the title of a session. */
export async function renameSession(
  sessionId: string,
  title: string,
  options: SessionFolderOptions = {},
): Promise<void> {
  if (title.trim() === '') throw new Error('The title of a session must not be empty.')
  await appendEntry(await findPaths(sessionId, options), { type: 'title', at: Date.now(), title: title.trim() })
}

/** Sets the tag of a session; null removes it. */
export async function tagSession(
  sessionId: string,
  tag: string | null,
  options: SessionFolderOptions = {},
): Promise<void> {
  const entry = { type: 'state', at: Date.now(), key: 'tag', ...(tag !== null && { value: tag }) } as const
  await appendEntry(await findPaths(sessionId, options), entry)
}

/** Deletes a session that no process has open, with its long results and its sub-agents. */
export async function deleteSession(sessionId: string, options: SessionFolderOptions = {}): Promise<void> {
  const paths = await findPaths(sessionId, options)
  const lock = lockSession(paths)
  try {
    for (const path of [paths.transcript, paths.gap, paths.attached]) await rm(path, { recursive: true, force: true })
  } finally {
    lock.release()
  }
}

async function findFolders({ dir = '.' }: SessionFolderOptions) {
  const home = process.env.HOME ?? findHomeFolder()
  if (home === undefined)
    throw new SessionError('not_found', 'Sessions are not saved, because there is no home folder.')
  return { home, projectRoot: await findProjectRoot({ cwd: resolve(dir), home }) }
}

async function findPaths(sessionId: string, options: SessionFolderOptions): Promise<SessionPaths> {
  return findSession(sessionId, await findFolders(options))
}

/** Appends a line. The lock fails if a process has the session open, because that process writes its own lines. */
async function appendEntry(paths: SessionPaths, entry: TranscriptEntry): Promise<void> {
  const lock = lockSession(paths)
  try {
    await appendFile(paths.transcript, `${serialiseEntry(entry)}\n`)
  } finally {
    lock.release()
  }
}

function toInfo({ id, title, cwd, startedAt, lastAt }: ListedSession, tag?: string): SDKSessionInfo {
  return {
    ...{ sessionId: id, summary: title ?? '', lastModified: lastAt },
    ...(title !== undefined && { customTitle: title }),
    ...(cwd !== undefined && { cwd }),
    ...(startedAt !== undefined && { createdAt: startedAt }),
    ...(tag !== undefined && { tag }),
  }
}

function toSessionMessage(message: Message | undefined, sessionId: string, index: number): readonly SessionMessage[] {
  if (message === undefined || message.type === 'attachment') return []
  const common = { uuid: `${sessionId}:${index}`, session_id: sessionId, parent_tool_use_id: null }
  if (message.type === 'system') return [{ ...common, type: 'system', message: { content: message.content } }]
  return [{ ...common, type: message.type, message: { role: message.type, content: message.content } }]
}
