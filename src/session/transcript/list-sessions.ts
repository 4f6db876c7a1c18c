import { constants, type Dirent } from 'node:fs'
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { isRecord } from '../../shared/is-record.js'
import { parseJson } from './line-reader.js'
import { holderOf } from './session-lock.js'
import { projectFolder, SessionPlace, transcriptId } from './session-place.js'

/** A session as a list shows it. */
export interface ListedSession {
  readonly id: string
  readonly path: string
  /** How its first prompt begins, unless it was given another. */
  readonly title: string | undefined
  readonly cwd: string | undefined
  /** Milliseconds since the epoch. */
  readonly startedAt: number | undefined
  readonly lastAt: number
  /** Of the user and the model; undefined where they would have to be counted. */
  readonly messages: number | undefined
  readonly forkedFrom: string | undefined
  /** Some process has it open. */
  readonly isOpen: boolean
}

const HEAD_BYTES = 16 * 1024
/** Where the last message is longer than the first of these, one looks once more. */
const TAIL_BYTES = [64 * 1024, 4 * 1024 * 1024]
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

/** The sessions of a project, the newest first. Of each only the beginning and the end are read. */
export async function listSessions(home: string | undefined, projectRoot: string): Promise<readonly ListedSession[]> {
  if (home === undefined) return []
  const folder = projectFolder(home, projectRoot)
  const listed: ListedSession[] = []
  for (const id of await sessionsIn(folder)) {
    const session = await look(new SessionPlace(folder, id))
    if (session !== undefined) listed.push(session)
  }
  return listed.sort((a, b) => b.lastAt - a.lastAt)
}

/** The session of a project in which something happened last. */
export async function continueLatest(
  home: string | undefined,
  projectRoot: string,
): Promise<ListedSession | undefined> {
  const [latest] = await listSessions(home, projectRoot)
  return latest
}

export async function sessionsIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => [])
  return entries.flatMap((entry) => (entry.isFile() ? (transcriptId(entry.name) ?? []) : []))
}

async function look(place: SessionPlace): Promise<ListedSession | undefined> {
  const handle = await open(place.transcript, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined)
  if (handle === undefined) return undefined
  try {
    const { size, mtimeMs } = await handle.stat()
    const { start, title } = await lookAtHead(handle)
    const end = await lookAtTail(handle, size)
    // Killed before it had begun, or no transcript at all: there is nothing to go on with.
    if (start === undefined && end.messages === 0) return undefined
    return {
      ...{ id: place.id, path: place.transcript, title: end.title ?? title },
      ...{ cwd: text(start?.cwd), startedAt: number(start?.at), lastAt: mtimeMs, messages: end.messages },
      ...{ forkedFrom: text(start?.forkedFrom), isOpen: holderOf(place) !== undefined },
    }
  } catch {
    // One that cannot be read is none to go on with.
    return undefined
  } finally {
    await handle.close()
  }
}

type Fields = Readonly<Record<string, unknown>>

/** What `session-started` tells, of the file's own and not of the one it was copied from. */
export async function lookAtHead(
  handle: FileHandle,
): Promise<{ start: Fields | undefined; title: string | undefined }> {
  const lines = (await readPart(handle, 0, HEAD_BYTES)).split('\n').slice(0, -1)
  const entries = lines.map(parseJson).filter(isRecord)
  const ofType = (type: string): Fields | undefined => entries.find((entry) => entry.type === type)
  return { start: ofType('session-started'), title: text(ofType('title')?.title) }
}

async function lookAtTail(
  handle: FileHandle,
  size: number,
): Promise<{ messages: number | undefined; title: string | undefined }> {
  for (const bytes of TAIL_BYTES) {
    const lines = (await readPart(handle, Math.max(0, size - bytes), bytes)).split('\n')
    // The first is whole only where the file begins with it.
    const whole = size > bytes ? lines.slice(1) : lines
    const messages = whole.findLast((line) => MESSAGES.test(line))
    const title = whole.findLast((line) => line.startsWith('{"type":"title"'))
    if (messages === undefined && size > bytes) continue
    return { messages: countIn(messages), title: text(fieldsOf(title).title) }
  }
  return { messages: undefined, title: undefined }
}

/** Older transcripts count all messages alike. */
const MESSAGES =
  /^\{"type":"messages?-(?:added|rewritten)","(?:from|cause)":"[^"\\]*","count":(\d+)(?:,"spoken":(\d+))?/

function countIn(line = ''): number {
  const [, count = 0, spoken = count] = MESSAGES.exec(line) ?? []
  return Number(spoken)
}

function fieldsOf(line: string | undefined): Fields {
  const entry = line === undefined ? undefined : parseJson(line)
  return isRecord(entry) ? entry : {}
}

async function readPart(handle: FileHandle, position: number, bytes: number): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(bytes), 0, bytes, position)
  return buffer.toString('utf8', 0, bytesRead)
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
