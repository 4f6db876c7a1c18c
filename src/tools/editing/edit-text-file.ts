import type { FilesPort } from '../../contract/ports/files.js'
import type { EditStrategy } from '../../edits/edit-strategies.js'
import type { TextEdit } from '../../edits/plan-edit.js'
import { decodeText } from '../../edits/text/encoding.js'
import { joinContent } from '../../shared/file-content.js'
import { runStepsInSlices } from '../../shared/steps.js'
import { applyEdits } from './apply-edits.js'
import { openKnownFile } from './known-file.js'
import { createFile, createPatch, createRemarks, encodeNewFile, saveFile, selectLooseStrategies } from './save-file.js'

export interface EditedFile {
  readonly isNew: boolean
  /** One strategy for each edit of existing text. Empty if the file was created. */
  readonly strategies: readonly EditStrategy[]
  /** The number of replacements. */
  readonly count: number
  readonly patch: string
  readonly remarks: readonly string[]
  /** Whether the new lines are not what the model sent. */
  readonly differs: boolean
}

/** Applies edits in order: all of them or none. If the first edit has an empty old string, it creates the file. */
export async function editTextFile(
  files: FilesPort,
  path: string,
  edits: readonly TextEdit[],
  signal: AbortSignal,
): Promise<EditedFile> {
  const [first, ...others] = edits
  if (first?.oldString === '') {
    const { content, strategies, count } = await runStepsInSlices(
      applyEdits(path, decodeText(encodeNewFile(first.newString)), others),
      signal,
    )
    return {
      isNew: true,
      strategies,
      count,
      ...(await createFile(files, path, decodeText(joinContent(content)).text, signal)),
      differs: false,
    }
  }
  const knownFile = await openKnownFile(files, path, signal)
  const textBefore = decodeText(knownFile.content)
  const { content, changed, strategies, count } = await runStepsInSlices(applyEdits(path, textBefore, edits), signal)
  const savedFile = await saveFile(
    files,
    { ...knownFile, content, expected: { content: knownFile.content }, formerFile: knownFile },
    signal,
  )
  return {
    isNew: false,
    strategies,
    count,
    patch: await createPatch(changed, textBefore, savedFile),
    remarks: [...createRemarks(strategies, savedFile)],
    differs: savedFile.isReformatted || selectLooseStrategies(strategies).length > 0,
  }
}
