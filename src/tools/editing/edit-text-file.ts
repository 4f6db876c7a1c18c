import type { FilesPort } from '../../contract/ports/files.js'
import type { EditStrategy } from '../../edits/edit-strategies.js'
import type { TextEdit } from '../../edits/plan-edit.js'
import { decodeText } from '../../edits/text/encoding.js'
import { wholeOf } from '../../shared/file-content.js'
import { applyEdits } from './apply-edits.js'
import { openKnownFile } from './known-file.js'
import { createFile, encodeNewFile, patchOf, remarksOf, saveFile } from './save-file.js'

export interface EditedFile {
  readonly isNew: boolean
  /** One for each edit of existing text; creating a file has none. */
  readonly strategies: readonly EditStrategy[]
  /** The number of replaced places. */
  readonly count: number
  readonly patch: string
  readonly remarks: readonly string[]
}

/** Applies edits in order, all or none. A first edit with an empty old string creates the file. */
export async function editTextFile(
  files: FilesPort,
  path: string,
  edits: readonly TextEdit[],
  signal: AbortSignal,
): Promise<EditedFile> {
  const [first, ...others] = edits
  if (first?.oldString === '') {
    const { content, strategies, count } = applyEdits(path, decodeText(encodeNewFile(first.newString)), others)
    return {
      isNew: true,
      strategies,
      count,
      ...(await createFile(files, path, decodeText(wholeOf(content)).text, signal)),
    }
  }
  const knownFile = await openKnownFile(files, path, signal)
  const before = decodeText(knownFile.content)
  const { content, changed, strategies, count } = applyEdits(path, before, edits)
  const saved = await saveFile(
    files,
    { ...knownFile, content, expected: { content: knownFile.content }, former: knownFile },
    signal,
  )
  return {
    isNew: false,
    strategies,
    count,
    patch: patchOf(changed, before, saved),
    remarks: [...remarksOf(strategies, saved)],
  }
}
