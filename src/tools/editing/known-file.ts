import { ToolCallError } from '../../contract/errors.js'
import { isFileError } from '../../contract/ports/file-error.js'
import type { FilesPort, WrittenFile } from '../../contract/ports/files.js'
import { isEntryCurrent, type ReadFileEntry } from '../../contract/ports/read-file-state.js'
import { measureCommonPart } from '../../edits/text/measure-common-part.js'
import { computeContentHash } from '../../shared/content-hash.js'
import { countBytes, type FileContent, sliceContent } from '../../shared/file-content.js'

/** A file that this agent has read or written and that is unchanged since then. */
export interface KnownFile extends FormerFile {
  readonly path: string
  readonly realPath: string
}

/** Opens a file for a partial change. Throws with advice if the agent has not read its current content. */
export async function openKnownFile(files: FilesPort, path: string, signal: AbortSignal): Promise<KnownFile> {
  const { content, realPath, stat } = await readOrExplain(files, path, signal)
  const entry = files.readFileState.get(realPath)
  if (entry === undefined) throw createUnreadFileError(files, path, realPath)
  if (!isEntryCurrent(entry, content)) throw createChangedFileError(path, 'Read it again, then repeat the change.')
  return { path, realPath, content, mtimeMs: stat.mtimeMs, entry }
}

/** Opens a file to replace or delete it. This must also protect changes outside the part that was read. */
export async function openUnchangedFile(files: FilesPort, path: string, signal: AbortSignal): Promise<KnownFile> {
  const knownFile = await openKnownFile(files, path, signal)
  const { entry, mtimeMs } = knownFile
  if (entry.bytes === undefined || entry.mtimeMs === mtimeMs) return knownFile
  throw createChangedFileError(
    path,
    'You have read only a part of its current content: Read all of it, or change that part with Edit.',
  )
}

function createChangedFileError(path: string, advice: string): ToolCallError {
  return new ToolCallError(
    'tool_failed',
    `${path} has been changed since you read it, by the user or another program. Nothing was written. ${advice}`,
  )
}

async function readOrExplain(files: FilesPort, path: string, signal: AbortSignal) {
  try {
    return await files.read(path, { signal })
  } catch (error) {
    if (!isFileError(error) || error.code !== 'missing') throw error
    const advice = await describeMissing(files, path)
    throw new ToolCallError('tool_failed', `${path} ${advice}`, { cause: error })
  }
}

async function describeMissing(files: FilesPort, path: string): Promise<string> {
  if ((await files.stat(path)) !== undefined) return 'is a broken symbolic link. Name the file itself.'
  return files.readFileState.get(path) === undefined
    ? 'does not exist. Check the path with Glob, or create the file with Write.'
    : 'has been deleted since you read it. Find out whether it was moved, or create it again with Write.'
}

function createUnreadFileError(files: FilesPort, path: string, realPath: string): ToolCallError {
  const wasReplacedByLink = realPath !== path && files.readFileState.get(path) !== undefined
  return new ToolCallError(
    'tool_failed',
    wasReplacedByLink
      ? `${path} became a link to ${realPath} after you read it. Nothing was written. Read it again before changing it.`
      : `${path} has not been read yet. Read it before changing it.`,
  )
}

/** A file before a change, with the record of what the agent had read of it. */
export interface FormerFile {
  readonly entry: ReadFileEntry
  readonly content: Uint8Array
  readonly mtimeMs: number
}

/**
 * Returns the read state after the agent changed a file. If only a part had been read, only that part and the change are
 * known.
 */
export function updateKnownFile(formerFile: FormerFile, writtenFile: WrittenFile, content: FileContent): ReadFileEntry {
  const { entry } = formerFile
  if (entry.bytes === undefined) return { contentHash: computeContentHash(content), mtimeMs: writtenFile.mtimeMs }
  const bytes = shiftRange(entry.bytes, formerFile.content, content)
  return {
    contentHash: computeContentHash(sliceContent(content, bytes.start, bytes.end)),
    // If the file had changed outside the part that was read, that change is still unread.
    mtimeMs: entry.mtimeMs === formerFile.mtimeMs ? writtenFile.mtimeMs : entry.mtimeMs,
    ...(entry.range !== undefined && { range: entry.range }),
    bytes,
  }
}

type ByteRange = NonNullable<ReadFileEntry['bytes']>

/** Returns where the known part is after the change. It is extended by a change that overlaps or adjoins it. */
function shiftRange({ start, end }: ByteRange, contentBefore: Uint8Array, contentAfter: FileContent): ByteRange {
  const lengthChange = countBytes(contentAfter) - contentBefore.length
  const shorterLength = contentBefore.length + Math.min(0, lengthChange)
  const isSame = (from: number, to: number, shift: number) =>
    Buffer.compare(contentBefore.subarray(from, to), sliceContent(contentAfter, from + shift, to + shift)) === 0
  const samePrefixLength = measureCommonPart(shorterLength, (from, to) => isSame(from, to, 0))
  const sameSuffixLength = measureCommonPart(shorterLength - samePrefixLength, (from, to) =>
    isSame(contentBefore.length - to, contentBefore.length - from, lengthChange),
  )
  const changeEnd = contentBefore.length - sameSuffixLength
  if (end < samePrefixLength) return { start, end }
  if (start > changeEnd) return { start: start + lengthChange, end: end + lengthChange }
  return { start: Math.min(start, samePrefixLength), end: Math.max(end, changeEnd) + lengthChange }
}
