import { type DecodedText, decodeText } from '../shared/text-edit/decode-text.js'
import type { EditStrategy } from '../shared/text-edit/edit-strategies.js'
import { LOOSENED } from '../shared/text-edit/explain-edit.js'
import { sameAround } from '../shared/text-edit/same-around.js'
import { type ChangedText, unifiedPatch } from '../shared/text-edit/unified-patch.js'
import type { SavedFile } from './save-file.js'

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
