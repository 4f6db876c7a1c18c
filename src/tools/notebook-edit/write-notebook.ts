import { entryHolds } from '../../contract/entry-holds.js'
import { ToolCallError } from '../../contract/errors.js'
import { isFileError } from '../../contract/ports/file-error.js'
import type { FilesPort, ReadFile } from '../../contract/ports/files.js'
import { contentHash } from '../../shared/content-hash.js'
import { changeDecodedText } from '../../shared/text-edit/change-decoded-text.js'
import { decodeText } from '../../shared/text-edit/decode-text.js'
import { UnencodableTextError } from '../../shared/text-edit/encode-text.js'
import { NotebookEditError } from './notebook-edit-error.js'
import { type NotebookEdit, type PlannedNotebookEdit, planNotebookEdit } from './plan-notebook-edit.js'

const MAX_BYTES = 50 * 1024 * 1024

/** Makes the edit, if the notebook is still as this agent knows it. */
export async function writeNotebook(
  files: FilesPort,
  path: string,
  edit: NotebookEdit,
  signal: AbortSignal,
): Promise<PlannedNotebookEdit> {
  try {
    const file = await files.read(path, { maxBytes: MAX_BYTES, signal })
    requireRead(files, path, file)
    const decoded = decodeText(file.content)
    const planned = planNotebookEdit(decoded.text, edit)
    const changed = changeDecodedText(decoded, planned.changes)
    const expected = { contentHash: contentHash(file.content) }
    const written = await files.write(path, changed.bytes, { expected, realPath: file.realPath })
    const { contentHash: hash, mtimeMs } = written
    files.readFileState.set(written.realPath, { contentHash: hash, mtimeMs })
    return planned
  } catch (error) {
    if (isFileError(error) || error instanceof NotebookEditError || error instanceof UnencodableTextError)
      throw new ToolCallError('tool_failed', error.message, { cause: error })
    throw error
  }
}

function requireRead({ readFileState }: FilesPort, path: string, { realPath, content }: ReadFile): void {
  const entry = readFileState.get(realPath)
  if (entry === undefined)
    throw new ToolCallError('tool_failed', `${path} was not read yet. Read it first, then edit it.`)
  if (!entryHolds(entry, content))
    throw new ToolCallError('tool_failed', `${path} has changed since you read it. Read it again, then edit it.`)
}
