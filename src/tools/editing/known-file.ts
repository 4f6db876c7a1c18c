import { ToolCallError } from '../../contract/errors.js'
import { isFileError } from '../../contract/ports/file-error.js'
import type { FilesPort, WrittenFile } from '../../contract/ports/files.js'
import { isEntryCurrent, type ReadFileEntry } from '../../contract/ports/read-file-state.js'
import { contentHash } from '../../shared/content-hash.js'
import { type FileContent, lengthOf, sliceOf } from '../../shared/file-content.js'
import { growSame } from '../../shared/grow-same.js'

/** A file that this agent has read or written, and that is still as it knows it. */
export interface KnownFile extends FormerFile {
  readonly path: string
  readonly realPath: string
}

/** Opens a file to change a part of it. One that the agent does not know as it is now is refused, with what to do. */
export async function openKnownFile(files: FilesPort, path: string, signal: AbortSignal): Promise<KnownFile> {
  const { content, realPath, stat } = await readOrExplain(files, path, signal)
  const entry = files.readFileState.get(realPath)
  if (entry === undefined) throw unknownFile(files, path, realPath)
  if (!isEntryCurrent(entry, content)) throw changedFile(path, 'Read it again, then send the change anew.')
  return { path, realPath, content, mtimeMs: stat.mtimeMs, entry }
}

/** The same for who leaves nothing of it: a change beyond the part that was read would be lost, too. */
export async function openUntouchedFile(files: FilesPort, path: string, signal: AbortSignal): Promise<KnownFile> {
  const known = await openKnownFile(files, path, signal)
  const { entry, mtimeMs } = known
  if (entry.bytes === undefined || entry.mtimeMs === mtimeMs) return known
  throw changedFile(path, 'You know only a part of it as it is now: Read all of it, or change that part with Edit.')
}

function changedFile(path: string, advice: string): ToolCallError {
  return new ToolCallError(
    'tool_failed',
    `${path} was changed since you read it, by the user or a program. Nothing was written. ${advice}`,
  )
}

async function readOrExplain(files: FilesPort, path: string, signal: AbortSignal) {
  try {
    return await files.read(path, { signal })
  } catch (error) {
    if (!isFileError(error) || error.code !== 'missing') throw error
    const advice = await whyMissing(files, path)
    throw new ToolCallError('tool_failed', `${path} ${advice}`, { cause: error })
  }
}

async function whyMissing(files: FilesPort, path: string): Promise<string> {
  if ((await files.stat(path)) !== undefined) return 'is a link that leads nowhere. Name the file itself.'
  return files.readFileState.get(path) === undefined
    ? 'does not exist. Check the path with Glob, or create the file with Write.'
    : 'was deleted since you read it. Look where it went, or create it anew with Write.'
}

function unknownFile(files: FilesPort, path: string, realPath: string): ToolCallError {
  const becameLink = realPath !== path && files.readFileState.get(path) !== undefined
  return new ToolCallError(
    'tool_failed',
    becameLink
      ? `${path} has become a link to ${realPath} since you read it. Nothing was written. Read it again before changing it.`
      : `${path} was not read yet. Read it first, then change it.`,
  )
}

/** A file as it stood before a change, and what the agent knew of it. */
export interface FormerFile {
  readonly entry: ReadFileEntry
  readonly content: Uint8Array
  readonly mtimeMs: number
}

/** What is known of a file after the agent changed a part of it: of one known in part, that part and the change. */
export function knownAfter(former: FormerFile, written: WrittenFile, content: FileContent): ReadFileEntry {
  const { entry } = former
  if (entry.bytes === undefined) return { contentHash: contentHash(content), mtimeMs: written.mtimeMs }
  const bytes = partAfter(entry.bytes, former.content, content)
  return {
    contentHash: contentHash(sliceOf(content, bytes.start, bytes.end)),
    // What somebody else changed outside the part is still there, and still unseen.
    mtimeMs: entry.mtimeMs === former.mtimeMs ? written.mtimeMs : entry.mtimeMs,
    ...(entry.range !== undefined && { range: entry.range }),
    bytes,
  }
}

type Part = NonNullable<ReadFileEntry['bytes']>

/** Where the part stands after the change; a change that touches it belongs to it. */
function partAfter({ start, end }: Part, before: Uint8Array, after: FileContent): Part {
  const moved = lengthOf(after) - before.length
  const shorter = before.length + Math.min(0, moved)
  const isSame = (from: number, to: number, shift: number) =>
    Buffer.compare(before.subarray(from, to), sliceOf(after, from + shift, to + shift)) === 0
  const samePrefix = growSame(shorter, (from, to) => isSame(from, to, 0))
  const sameSuffix = growSame(shorter - samePrefix, (from, to) =>
    isSame(before.length - to, before.length - from, moved),
  )
  const changeEnd = before.length - sameSuffix
  if (end < samePrefix) return { start, end }
  if (start > changeEnd) return { start: start + moved, end: end + moved }
  return { start: Math.min(start, samePrefix), end: Math.max(end, changeEnd) + moved }
}
