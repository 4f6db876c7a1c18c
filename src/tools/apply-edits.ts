import { ToolCallError } from '../contract/errors.js'
import type { DecodedText } from '../shared/text-edit/decode-text.js'
import { explainEdit } from '../shared/text-edit/explain-edit.js'
import { planEdit, type TextEdit } from '../shared/text-edit/plan-edit.js'
import { applyToBytes } from './apply-to-bytes.js'
import { type AppliedEdits, EditRun } from './edit-run.js'

/** Makes edits one after the other, each in what the one before left; if one has no place, none is made. */
export function applyEdits(file: string, original: DecodedText, edits: readonly TextEdit[]): AppliedEdits {
  return applyToBytes(original, edits) ?? applyToText(file, original, edits)
}

function applyToText(file: string, original: DecodedText, edits: readonly TextEdit[]): AppliedEdits {
  const run = new EditRun(original)
  for (const [index, edit] of edits.entries()) {
    const which = edits.length === 1 ? 'old_string' : `old_string of edit ${index + 1}`
    run.make(findPlaces(file, which, run.text, edit))
  }
  return run.end()
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
