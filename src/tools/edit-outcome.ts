import { byteText } from '../shared/text-edit/byte-text.js'
import { decodeText } from '../shared/text-edit/decode-text.js'
import { LOOSENED } from '../shared/text-edit/explain-edit.js'
import type { EditStrategy } from '../shared/text-edit/plan-edit.js'
import { sameAround } from '../shared/text-edit/same-around.js'
import { type ChangedText, unifiedPatch } from '../shared/text-edit/unified-patch.js'
import type { SavedFile } from './save-file.js'

/** The patch of what was written; where a formatter followed, of what it left. */
export function patchOf(changed: ChangedText, saved: SavedFile): string {
  if (!saved.isReformatted) return unifiedPatch(changed)
  const after = decodeText(saved.content)
  const { before, readLine } = changed
  if (readLine === undefined) return unifiedPatch(sameAround(before, after.text))
  return unifiedPatch({ ...sameAround(before, byteText(after).text), readLine })
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
