import { ToolCallError } from '../../contract/errors.js'
import { isFileError } from '../../contract/ports/file-error.js'
import type { ExpectedContent, FilesPort, WrittenFile } from '../../contract/ports/files.js'
import type { EditStrategy } from '../../edits/edit-strategies.js'
import { IGNORED_DIFFERENCES } from '../../edits/explain-edit.js'
import { type DecodedText, decodeText, encodeText, UnencodableTextError } from '../../edits/text/encoding.js'
import { type ChangedText, changeDecodedText, type TextChange } from '../../edits/text/text-change.js'
import { compareTexts, createUnifiedPatch } from '../../edits/unified-patch.js'
import { computeContentHash } from '../../shared/content-hash.js'
import { type FileContent, joinContent } from '../../shared/file-content.js'
import { runStepsInSlices } from '../../shared/steps.js'
import { type FormerFile, updateKnownFile } from './known-file.js'

/** The content to write and the content that the file must have before the write. */
interface FileToSave {
  readonly path: string
  readonly content: FileContent
  readonly expected: ExpectedContent
  /** The path with links resolved. Omitted for a new file. */
  readonly realPath?: string
  /** The file before a partial change. Omitted if the whole content is replaced. */
  readonly formerFile?: FormerFile
}

/** Notes for the model and, if a formatter changed the file, its final content. */
type SavedFile = { readonly notes: readonly string[] } & (
  | { readonly isReformatted: false }
  | { readonly isReformatted: true; readonly content: Uint8Array }
)

/** Writes a file if its content is still as expected, and records it as read. */
export async function saveFile(files: FilesPort, file: FileToSave, signal: AbortSignal): Promise<SavedFile> {
  const { path, content, expected, realPath } = file
  const write = () => files.write(path, content, { expected, ...(realPath !== undefined && { realPath }) })
  const { result: writtenFile, report } = await editWithChecks(files, [path], write, signal)
  rememberWritten(files, writtenFile, content, file.formerFile)
  const notes = [...describeLinks(path, writtenFile), ...report.notes]
  if (!report.reformatted.includes(path)) return { isReformatted: false, notes }
  const formattedContent = await rememberFormatted(files, writtenFile, content)
  return { content: formattedContent ?? joinContent(content), isReformatted: true, notes }
}

/** Returns a note for the model if other hard links keep the old content. */
export function describeLinks(path: string, { otherLinkCount }: WrittenFile): readonly string[] {
  if (otherLinkCount === undefined) return []
  const otherNames = otherLinkCount === 1 ? 'the other name keeps' : `the other ${otherLinkCount} names keep`
  return [`${path} was one of ${otherLinkCount + 1} hard links to one file: ${otherNames} the old content.`]
}

/**
 * Makes a change between the before and after steps of the host's formatters and language servers, if there are any. Throws if
 * cancelled.
 */
export async function editWithChecks<T>(
  files: FilesPort,
  paths: readonly string[],
  edit: () => Promise<T>,
  signal: AbortSignal,
) {
  const editUnlessCancelled = async () => {
    signal.throwIfAborted()
    return edit()
  }
  if (files.aroundEdit !== undefined) return files.aroundEdit(paths, editUnlessCancelled, { signal })
  return { result: await editUnlessCancelled(), report: { notes: [], reformatted: [] } }
}

/** Records the written file as read. If only a part had been read, only that part and the change are known. */
export function rememberWritten(
  { readFileState }: FilesPort,
  writtenFile: WrittenFile,
  content: FileContent,
  formerFile: FormerFile | undefined,
): void {
  const { realPath, mtimeMs } = writtenFile
  const entry =
    formerFile === undefined
      ? { contentHash: computeContentHash(content), mtimeMs }
      : updateKnownFile(formerFile, writtenFile, content)
  readFileState.set(realPath, entry)
}

/** Reads the file after a formatter has run and records it as read. Returns undefined if it can no longer be read. */
export async function rememberFormatted(
  files: FilesPort,
  { realPath: path, mtimeMs }: WrittenFile,
  writtenContent: FileContent,
): Promise<Uint8Array | undefined> {
  try {
    const { content, realPath, stat } = await files.read(path)
    const formattedFile = { realPath, mtimeMs: stat.mtimeMs }
    const entry = files.readFileState.get(realPath)
    rememberWritten(files, formattedFile, content, entry && { entry, content: joinContent(writtenContent), mtimeMs })
    return content
  } catch (error) {
    // The change has been made. If the file cannot be read now, the next edit reports that.
    if (isFileError(error)) return undefined
    throw error
  }
}

/** Creates a file. The result has no patch, because the model has just sent the content. */
export async function createFile(files: FilesPort, path: string, content: string, signal: AbortSignal) {
  try {
    const bytes = encodeNewFile(content)
    const savedFile = await saveFile(files, { path, content: bytes, expected: 'absent' }, signal)
    return {
      patch: '',
      remarks: [...createRemarks([], { ...savedFile, isReformatted: false }), ...describeReformatting(savedFile)],
    }
  } catch (error) {
    if (!isFileError(error) || error.code !== 'exists') throw error
    const advice = 'Read it, then edit it with an old_string from the file, or replace it with Write.'
    throw new ToolCallError('tool_failed', `${path} already exists. Nothing was written. ${advice}`, {
      cause: error,
    })
  }
}

function describeReformatting({ isReformatted }: { readonly isReformatted: boolean }): readonly string[] {
  return isReformatted ? ['A formatter changed the file: read it before you rely on its layout.'] : []
}

/** Returns the patch of the change, including changes that a formatter made afterwards. */
export function createPatch(changedText: ChangedText, textBefore: DecodedText, savedFile: SavedFile): Promise<string> {
  const shownChange = savedFile.isReformatted
    ? compareTexts(textBefore.text, decodeText(savedFile.content).text)
    : changedText
  return runStepsInSlices(createUnifiedPatch(shownChange))
}

/** Returns remarks for the model about an edit, besides its patch. */
export function createRemarks(
  strategies: readonly EditStrategy[],
  savedFile: Pick<SavedFile, 'isReformatted' | 'notes'>,
): readonly string[] {
  return [
    ...selectLooseStrategies(strategies).map(
      (strategy) => `The old text was not found exactly; it has one match if ${IGNORED_DIFFERENCES[strategy]}.`,
    ),
    ...(savedFile.isReformatted ? ['A formatter changed the file; the lines below are as it left them.'] : []),
    ...savedFile.notes,
  ]
}

/** Returns the strategies that found text other than the model sent, each once. */
export function selectLooseStrategies(strategies: readonly EditStrategy[]) {
  return [...new Set(strategies)].filter((strategy) => strategy !== 'verbatim' && strategy !== 'line endings')
}

/** Applies changes to a text. If the encoding lacks a character, throws an error that the model can act on. */
export function changeTextOrExplain(text: DecodedText, changes: readonly TextChange[]): DecodedText {
  return encodeOrExplain(() => changeDecodedText(text, changes))
}

/** Encodes a new file as UTF-8 and keeps the line endings as sent. */
export function encodeNewFile(content: string): Uint8Array {
  return encodeOrExplain(() => encodeText(content, 'utf-8'))
}

function encodeOrExplain<T>(encode: () => T): T {
  try {
    return encode()
  } catch (error) {
    if (error instanceof UnencodableTextError) throw new ToolCallError('tool_failed', error.message, { cause: error })
    throw error
  }
}
