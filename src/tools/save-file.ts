import { isFileError } from '../contract/ports/file-error.js'
import type { ExpectedContent, FilesPort, WrittenFile } from '../contract/ports/files.js'
import { contentHash } from '../shared/content-hash.js'
import { type FileContent, wholeOf } from '../shared/file-content.js'
import { type FormerFile, knownAfter } from './known-after.js'

/** What is written, and what has to stand there for it to be right. */
export interface FileToSave {
  readonly path: string
  readonly content: FileContent
  readonly expected: ExpectedContent
  /** Left out where nothing is there yet. */
  readonly realPath?: string
  /** What a part of is changed; left out by who leaves nothing of it. */
  readonly former?: FormerFile
}

/** What the host has to say of it, and how it stands now where a formatter has been at it. */
export type SavedFile = { readonly notes: readonly string[] } & (
  | { readonly isReformatted: false }
  | { readonly isReformatted: true; readonly content: Uint8Array }
)

/** Writes a file if it is still as expected, and remembers it as known. */
export async function saveFile(files: FilesPort, file: FileToSave, signal: AbortSignal): Promise<SavedFile> {
  const { path, content, expected, realPath } = file
  const write = () => files.write(path, content, { expected, ...(realPath !== undefined && { realPath }) })
  const { result: written, report } = await editWatched(files, [path], write, signal)
  rememberWritten(files, written, content, file.former)
  const notes = [...linkNotes(path, written), ...report.notes]
  if (!report.reformatted.includes(path)) return { isReformatted: false, notes }
  const final = await rememberFound(files, written, content)
  return { content: final ?? wholeOf(content), isReformatted: true, notes }
}

/** Who keeps one file under several names must know that they have parted. */
export function linkNotes(path: string, { otherNames }: WrittenFile): readonly string[] {
  if (otherNames === undefined) return []
  const others = otherNames === 1 ? 'the other name keeps' : `the other ${otherNames} names keep`
  return [`${path} was one of ${otherNames + 1} hard links to one file: ${others} the former content.`]
}

/** Makes a change under the eyes of formatter and language servers, where there are any; none once it is cancelled. */
export async function editWatched<T>(
  files: FilesPort,
  paths: readonly string[],
  edit: () => Promise<T>,
  signal: AbortSignal,
) {
  const unlessCancelled = async () => {
    signal.throwIfAborted()
    return edit()
  }
  if (files.aroundEdit !== undefined) return files.aroundEdit(paths, unlessCancelled, { signal })
  return { result: await unlessCancelled(), report: { notes: [], reformatted: [] } }
}

/** The agent knows what it wrote; of a file that it had read in part, it still knows only that part. */
export function rememberWritten(
  { readFileState }: FilesPort,
  written: WrittenFile,
  content: FileContent,
  former: FormerFile | undefined,
): void {
  const { realPath, mtimeMs } = written
  const entry =
    former === undefined ? { contentHash: contentHash(content), mtimeMs } : knownAfter(former, written, content)
  readFileState.set(realPath, entry)
}

/** What a formatter left of what was written, which is remembered as known; undefined where it cannot be read any more. */
export async function rememberFound(
  files: FilesPort,
  { realPath: path, mtimeMs }: WrittenFile,
  writtenContent: FileContent,
): Promise<Uint8Array | undefined> {
  try {
    const { content, realPath, stat } = await files.read(path)
    const found = { realPath, mtimeMs: stat.mtimeMs }
    const entry = files.readFileState.get(realPath)
    rememberWritten(files, found, content, entry && { entry, content: wholeOf(writtenContent), mtimeMs })
    return content
  } catch (error) {
    // The change was made: that the file cannot be read any more does not undo it, and the next edit will tell.
    if (isFileError(error)) return undefined
    throw error
  }
}
