import { ToolCallError } from '../../contract/errors.js'
import { isFileError } from '../../contract/ports/file-error.js'
import type { ExpectedContent, FilesPort, WrittenFile } from '../../contract/ports/files.js'
import type { EditStrategy } from '../../edits/edit-strategies.js'
import { LOOSENED } from '../../edits/explain-edit.js'
import { type DecodedText, decodeText, encodeText, UnencodableTextError } from '../../edits/text/encoding.js'
import { type ChangedText, changeDecodedText, type TextChange } from '../../edits/text/text-change.js'
import { sameAround, unifiedPatch } from '../../edits/unified-patch.js'
import { contentHash } from '../../shared/content-hash.js'
import { type FileContent, wholeOf } from '../../shared/file-content.js'
import { type FormerFile, knownAfter } from './known-file.js'

/** What is written, and what has to stand there for it to be right. */
interface FileToSave {
  readonly path: string
  readonly content: FileContent
  readonly expected: ExpectedContent
  /** Left out where nothing is there yet. */
  readonly realPath?: string
  /** What a part of is changed; left out by who leaves nothing of it. */
  readonly former?: FormerFile
}

/** What the host has to say of it, and how it stands now where a formatter has been at it. */
type SavedFile = { readonly notes: readonly string[] } & (
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

/** Writes a file where there is none. What it holds is known to the one who sent it: there is no patch to show. */
export async function createFile(files: FilesPort, path: string, content: string, signal: AbortSignal) {
  try {
    const bytes = encodedNew(content)
    const saved = await saveFile(files, { path, content: bytes, expected: 'absent' }, signal)
    return { patch: '', remarks: [...remarksOf([], { ...saved, isReformatted: false }), ...reformatted(saved)] }
  } catch (error) {
    if (!isFileError(error) || error.code !== 'exists') throw error
    const advice = 'Read it, then change it with an old_string that stands in it, or replace it with Write.'
    throw new ToolCallError('tool_failed', `${path} exists already, and nothing was written. ${advice}`, {
      cause: error,
    })
  }
}

function reformatted({ isReformatted }: { readonly isReformatted: boolean }): readonly string[] {
  return isReformatted ? ['A formatter went over the file: read it before you rely on how it is laid out.'] : []
}

/** The patch of what was written; where a formatter followed, of what it left of the text before. */
export function patchOf(changed: ChangedText, before: DecodedText, saved: SavedFile): string {
  return unifiedPatch(saved.isReformatted ? sameAround(before.text, decodeText(saved.content).text) : changed)
}

/** What the model has to know of an edit besides its patch. */
export function remarksOf(
  strategies: readonly EditStrategy[],
  saved: Pick<SavedFile, 'isReformatted' | 'notes'>,
): readonly string[] {
  const loose = [...new Set(strategies)].filter((strategy) => strategy !== 'verbatim' && strategy !== 'line endings')
  return [
    ...loose.map((strategy) => `The old text was not there as sent; it matches one place if ${LOOSENED[strategy]}.`),
    ...(saved.isReformatted ? ['A formatter went over the file; the patch shows what it left.'] : []),
    ...saved.notes,
  ]
}

/** A changed text; a character that the file cannot hold is the model's to replace. */
export function encoded(text: DecodedText, changes: readonly TextChange[]): DecodedText {
  return orExplain(() => changeDecodedText(text, changes))
}

/** New files are UTF-8, with the line endings that were sent. */
export function encodedNew(content: string): Uint8Array {
  return orExplain(() => encodeText(content, 'utf-8'))
}

function orExplain<T>(encode: () => T): T {
  try {
    return encode()
  } catch (error) {
    if (error instanceof UnencodableTextError) throw new ToolCallError('tool_failed', error.message, { cause: error })
    throw error
  }
}
