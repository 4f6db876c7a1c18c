import { ToolCallError } from '../contract/errors.js'
import { changeDecodedText } from '../shared/text-edit/change-decoded-text.js'
import { ChangeExtent } from '../shared/text-edit/change-extent.js'
import type { DecodedText } from '../shared/text-edit/decode-text.js'
import { UnencodableTextError } from '../shared/text-edit/encode-text.js'
import { explainEdit } from '../shared/text-edit/explain-edit.js'
import { type EditStrategy, planEdit, type TextEdit } from '../shared/text-edit/plan-edit.js'
import type { TextChange } from '../shared/text-edit/text-change.js'
import type { ChangedText } from '../shared/text-edit/unified-patch.js'

export interface AppliedEdits {
  readonly bytes: Uint8Array
  readonly changed: ChangedText
  readonly strategies: readonly EditStrategy[]
  /** How many places were changed. */
  readonly count: number
}

/** Makes edits one after the other, each in what the one before left; if one has no place, none is made. */
export function applyEdits(file: string, original: DecodedText, edits: readonly TextEdit[]): AppliedEdits {
  const extent = new ChangeExtent()
  const strategies: EditStrategy[] = []
  let count = 0
  let current = original
  for (const [index, edit] of edits.entries()) {
    const which = edits.length === 1 ? 'old_string' : `old_string of edit ${index + 1}`
    const { strategy, changes } = findPlaces(file, which, current.text, edit)
    extent.add(current.text, changes)
    current = encoded(current, changes)
    strategies.push(strategy)
    count += changes.length
  }
  return { bytes: current.bytes, changed: extent.between(original.text, current.text), strategies, count }
}

function findPlaces(file: string, which: string, text: string, edit: TextEdit) {
  const plan = planEdit(text, edit)
  if (plan.kind !== 'found') {
    const whenAmbiguous =
      'Send more of the lines around the one that is meant, or set replace_all to true if every place is.'
    throw new ToolCallError('tool_failed', explainEdit(text, edit, plan, { file, old: which, whenAmbiguous }))
  }
  if (plan.changes.every(({ start, end, text: next }) => text.slice(start, end) === next)) {
    throw new ToolCallError(
      'tool_failed',
      `${file} already reads as ${which.replace('old', 'new')} says; nothing was changed.`,
    )
  }
  return plan
}

/** A character that the file cannot hold is the model's to replace. */
export function encoded(text: DecodedText, changes: readonly TextChange[]): DecodedText {
  try {
    return changeDecodedText(text, changes)
  } catch (error) {
    if (error instanceof UnencodableTextError) throw new ToolCallError('tool_failed', error.message, { cause: error })
    throw error
  }
}
