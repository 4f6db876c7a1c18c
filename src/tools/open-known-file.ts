import { ToolCallError } from '../contract/errors.js'
import { isFileError } from '../contract/ports/file-error.js'
import type { FilesPort } from '../contract/ports/files.js'
import { entryHolds } from '../contract/ports/read-file-state.js'
import type { FormerFile } from './known-after.js'

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
  if (!entryHolds(entry, content)) throw changedFile(path, 'Read it again, then send the change anew.')
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
