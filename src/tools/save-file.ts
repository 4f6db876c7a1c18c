import { isFileError } from '../contract/ports/file-error.js'
import type { ExpectedContent, FilesPort, WrittenFile } from '../contract/ports/files.js'
import type { ReadFileEntry } from '../contract/read-file-state.js'
import { contentHash } from '../shared/content-hash.js'
import { type FileContent, wholeOf } from '../shared/file-content.js'
import { keepContent } from './kept-content.js'

/** What is written, and what has to stand there for it to be right. */
export interface FileToSave {
  readonly path: string
  readonly content: FileContent
  readonly expected: ExpectedContent
  /** Left out where nothing is there yet. */
  readonly realPath?: string
  /** What the agent knew of the file before. */
  readonly entry?: ReadFileEntry
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
  keepContent(rememberWritten(files, written, file.entry), content, file.entry)
  if (!report.reformatted.includes(path)) return { isReformatted: false, notes: report.notes }
  const final = await rememberFound(files, written.realPath)
  return { content: final ?? wholeOf(content), isReformatted: true, notes: report.notes }
}

/** Makes a change under the eyes of formatter and language servers, where there are any. */
export async function editWatched<T>(
  files: FilesPort,
  paths: readonly string[],
  edit: () => Promise<T>,
  signal: AbortSignal,
) {
  if (files.aroundEdit !== undefined) return files.aroundEdit(paths, edit, { signal })
  return { result: await edit(), report: { notes: [], reformatted: [] } }
}

/** The agent knows what it wrote; of a file that it had read in part, it still knows only that part. */
export function rememberWritten(
  files: FilesPort,
  written: WrittenFile,
  before: ReadFileEntry | undefined,
): ReadFileEntry {
  const { realPath, contentHash, mtimeMs } = written
  const range = before?.range
  const entry = { contentHash, mtimeMs, ...(range !== undefined && { range }) }
  files.readFileState.set(realPath, entry)
  return entry
}

/** The content as it stands now, which is remembered as known; undefined where it cannot be read any more. */
export async function rememberFound(files: FilesPort, path: string): Promise<Uint8Array | undefined> {
  try {
    const { content, realPath, stat } = await files.read(path)
    const found = { realPath, contentHash: contentHash(content), mtimeMs: stat.mtimeMs }
    rememberWritten(files, found, files.readFileState.get(realPath))
    return content
  } catch (error) {
    // The change was made: that the file cannot be read any more does not undo it, and the next edit will tell.
    if (isFileError(error)) return undefined
    throw error
  }
}
