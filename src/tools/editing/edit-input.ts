import type { ValidationResult } from '../../contract/tool/tool.js'
import { findOmission } from '../../edits/find-omission.js'
import type { TextEdit } from '../../edits/plan-edit.js'
import { foldLineEndings } from '../../edits/text/lines.js'

/** What is wrong with an edit whatever the file says; undefined where nothing is. */
export function editProblem({ oldString, newString }: TextEdit): string | undefined {
  if (oldString === newString) return 'old_string and new_string are the same: there is nothing to change.'
  if (foldLineEndings(oldString) === foldLineEndings(newString)) {
    return 'old_string and new_string differ only in line endings. An edit keeps those of the file; convert them with a command.'
  }
  return omissionProblem(oldString, newString)
}

/** A placeholder in the place of code would delete that code. */
export function omissionProblem(oldText: string, newText: string): string | undefined {
  const omission = findOmission(oldText, newText)
  if (omission === undefined) return undefined
  return (
    `The new text has ${JSON.stringify(omission)} in place of code, which would delete that code. Nothing was written. ` +
    'Write the code out, or make smaller edits that leave the rest alone. If the line itself is wanted, add it in an edit that removes nothing.'
  )
}

export function refusal(problem: string | undefined): ValidationResult {
  return problem === undefined ? { result: true } : { result: false, message: problem, errorCode: 1 }
}

/** A path as it is drawn while it still arrives: whatever is there that is a text. */
export function drawnPath(path: unknown): string {
  return typeof path === 'string' ? path : ''
}

/** What a model reads of a change: what was done, then remarks, then the patch. */
export function changeText(done: string, remarks: readonly string[], patch: string): string {
  return [done, ...remarks, ...(patch === '' ? [] : [patch])].join('\n')
}
