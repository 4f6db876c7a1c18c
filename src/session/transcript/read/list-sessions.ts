import { constants, type Dirent } from 'node:fs'
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isRecord } from '../../../shared/is-record.js'
import { parseJson } from '../storage/line-reader.js'
import { findHolder } from '../storage/session-lock.js'
import { getProjectFolder, getProjectsRoot, parseTranscriptId, SessionPaths } from '../storage/session-paths.js'

/** Summary of a session for lists. */
export interface ListedSession {
  readonly id: string
  readonly path: string
  /** The beginning of the first prompt, or the title that was set. */
  readonly title: string | undefined
  readonly cwd: string | undefined
  /** Milliseconds since the epoch. */
  readonly startedAt: number | undefined
  readonly lastAt: number
  /** User and assistant messages, including results of calls. Undefined if the end of the file does not contain the count. */
  readonly messages: number | undefined
  readonly forkedFrom: string | undefined
  /** Whether a process has the session open. */
  readonly isOpen: boolean
}

const MAX_HEAD_BYTES = 16 * 1024
/** How much is read from the end of a file. The second size is tried if the last message does not fit into the first. */
const TAIL_BYTES = [64 * 1024, 4 * 1024 * 1024]
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

/** Lists the sessions of a project, newest first. Reads only the beginning and the end of each file. */
export async function listSessions(home: string | undefined, projectRoot: string): Promise<readonly ListedSession[]> {
  return home === undefined ? [] : listFolder(getProjectFolder(home, projectRoot))
}

/** Lists the sessions of all projects, newest first. */
export async function listAllSessions(home: string | undefined): Promise<readonly ListedSession[]> {
  if (home === undefined) return []
  const root = getProjectsRoot(home)
  const entries = await readdir(root, { withFileTypes: true }).catch((): Dirent[] => [])
  const sessions: ListedSession[] = []
  for (const entry of entries) if (entry.isDirectory()) sessions.push(...(await listFolder(join(root, entry.name))))
  return sessions.sort((a, b) => b.lastAt - a.lastAt)
}

async function listFolder(folder: string): Promise<readonly ListedSession[]> {
  const sessions: ListedSession[] = []
  for (const id of await listSessionIds(folder)) {
    const session = await summarise(new SessionPaths(folder, id))
    if (session !== undefined) sessions.push(session)
  }
  return sessions.sort((a, b) => b.lastAt - a.lastAt)
}

/** Returns the most recently written session of a project, or undefined if there is none. Does not open it. */
export async function continueLatest(
  home: string | undefined,
  projectRoot: string,
): Promise<ListedSession | undefined> {
  const [latestSession] = await listSessions(home, projectRoot)
  return latestSession
}

export async function listSessionIds(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => [])
  return entries.flatMap((entry) => (entry.isFile() ? (parseTranscriptId(entry.name) ?? []) : []))
}

async function summarise(paths: SessionPaths): Promise<ListedSession | undefined> {
  const handle = await open(paths.transcript, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined)
  if (handle === undefined) return undefined
  try {
    const { size, mtimeMs } = await handle.stat()
    const { start, title } = await readHead(handle)
    const end = await readTail(handle, size)
    // The file is not a transcript, or its process was killed while it wrote the first line.
    if (start === undefined && end.messages === 0) return undefined
    return {
      ...{ id: paths.id, path: paths.transcript, title: end.title ?? title },
      ...{ cwd: asString(start?.cwd), startedAt: asNumber(start?.at), lastAt: mtimeMs, messages: end.messages },
      ...{ forkedFrom: asString(start?.forkedFrom), isOpen: findHolder(paths) !== undefined },
    }
  } catch {
    // Unreadable files are not listed.
    return undefined
  } finally {
    await handle.close()
  }
}

type Fields = Readonly<Record<string, unknown>>

/** Returns the first `session-started` entry and title. In a fork, the entry of the original follows later. */
export async function readHead(handle: FileHandle): Promise<{ start: Fields | undefined; title: string | undefined }> {
  const lines = (await readRange(handle, 0, MAX_HEAD_BYTES)).split('\n').slice(0, -1)
  const entries = lines.map(parseJson).filter(isRecord)
  const findOfType = (type: string): Fields | undefined => entries.find((entry) => entry.type === type)
  return { start: findOfType('session-started'), title: asString(findOfType('title')?.title) }
}

async function readTail(
  handle: FileHandle,
  size: number,
): Promise<{ messages: number | undefined; title: string | undefined }> {
  for (const bytes of TAIL_BYTES) {
    const parts = (await readRange(handle, Math.max(0, size - bytes), bytes)).split('\n')
    // The first line is incomplete unless it is the start of the file.
    const lines = size > bytes ? parts.slice(1) : parts
    const messageLine = lines.findLast((line) => MESSAGE_LINE.test(line))
    const titleLine = lines.findLast((line) => line.startsWith('{"type":"title"'))
    if (messageLine === undefined && size > bytes) continue
    return { messages: readCount(messageLine), title: asString(fieldsOf(titleLine).title) }
  }
  return { messages: undefined, title: undefined }
}

/** Matches the start of a line with messages. Older transcripts have no `spoken` count. */
const MESSAGE_LINE =
  /^\{"type":"messages?-(?:added|rewritten)","(?:from|cause)":"[^"\\]*","count":(\d+)(?:,"spoken":(\d+))?/

function readCount(line = ''): number {
  const [, count = 0, spokenCount = count] = MESSAGE_LINE.exec(line) ?? []
  return Number(spokenCount)
}

function fieldsOf(line: string | undefined): Fields {
  const entry = line === undefined ? undefined : parseJson(line)
  return isRecord(entry) ? entry : {}
}

async function readRange(handle: FileHandle, position: number, bytes: number): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(bytes), 0, bytes, position)
  return buffer.toString('utf8', 0, bytesRead)
}

function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
