import type { ValidationResult } from '../../contract/tool/tool.js'
import { findOmission } from '../../edits/find-omission.js'
import type { TextEdit } from '../../edits/plan-edit.js'
import { foldLineEndings } from '../../edits/text/lines.js'
import { runStepsInSlices } from '../../shared/steps.js'

/** Returns why an edit is invalid whatever the file contains; undefined if it is valid. */
export async function findEditProblem({ oldString, newString }: TextEdit): Promise<string | undefined> {
  if (oldString === newString) return 'old_string and new_string are identical: there is nothing to change.'
  if (foldLineEndings(oldString) === foldLineEndings(newString)) {
    return 'old_string and new_string differ only in line endings. An edit keeps the line endings of the file; convert them with a command.'
  }
  return findOmissionProblem(oldString, newString)
}

/** Returns a problem if the new text contains a placeholder instead of code, which would delete that code. */
export async function findOmissionProblem(oldText: string, newText: string): Promise<string | undefined> {
  const omission = await runStepsInSlices(findOmission(oldText, newText))
  if (omission === undefined) return undefined
  return (
    `The new text has ${JSON.stringify(omission)} instead of code, which would delete that code. Nothing was written. ` +
    'Write out the code, or make smaller edits. If you want this line itself, add it in an edit that removes nothing.'
  )
}

export function toValidationResult(problem: string | undefined): ValidationResult {
  return problem === undefined ? { result: true } : { result: false, message: problem, errorCode: 1 }
}

/** Returns the path for display; empty while it is still streaming in. */
export function formatPath(path: unknown): string {
  return typeof path === 'string' ? path : ''
}
