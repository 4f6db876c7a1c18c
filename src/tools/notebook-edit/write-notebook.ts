import { ToolCallError } from '../../contract/errors.js'
import { isFileError } from '../../contract/ports/file-error.js'
import type { FilesPort } from '../../contract/ports/files.js'
import { decodeText, UnencodableTextError } from '../../edits/text/encoding.js'
import { changeDecodedText } from '../../edits/text/text-change.js'
import { runStepsInSlices } from '../../shared/steps.js'
import { findOmissionProblem } from '../editing/edit-input.js'
import { openKnownFile } from '../editing/known-file.js'
import { saveFile } from '../editing/save-file.js'
import { NotebookEditError } from './notebook-json.js'
import { type NotebookEdit, type PlannedNotebookEdit, planNotebookEdit } from './plan-notebook-edit.js'

/** Applies the edit if the notebook is unchanged since this agent read it. */
export async function writeNotebook(
  files: FilesPort,
  path: string,
  edit: NotebookEdit,
  signal: AbortSignal,
): Promise<PlannedNotebookEdit & { readonly notes: readonly string[] }> {
  try {
    const knownFile = await openKnownFile(files, path, signal)
    const decodedText = decodeText(knownFile.content)
    const plannedEdit = await runStepsInSlices(planNotebookEdit(decodedText.text, edit), signal)
    const omission = edit.mode === 'replace' ? await findOmissionProblem(plannedEdit.oldSource, edit.source) : undefined
    if (omission !== undefined) throw new NotebookEditError(omission)
    const { bytes } = changeDecodedText(decodedText, plannedEdit.changes)
    const { notes } = await saveFile(
      files,
      { ...knownFile, content: bytes, expected: { content: knownFile.content }, formerFile: knownFile },
      signal,
    )
    return { ...plannedEdit, notes }
  } catch (error) {
    if (isFileError(error) || error instanceof NotebookEditError || error instanceof UnencodableTextError)
      throw new ToolCallError('tool_failed', error.message, { cause: error })
    throw error
  }
}
