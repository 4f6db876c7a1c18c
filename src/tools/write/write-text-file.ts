import { ToolCallError } from '../../contract/errors.js'
import type { FilesPort } from '../../contract/ports/files.js'
import { decodeText } from '../../shared/text-edit/decode-text.js'
import { sameAround } from '../../shared/text-edit/same-around.js'
import { createFile } from '../create-file.js'
import { patchOf, remarksOf } from '../edit-outcome.js'
import { omissionProblem } from '../edit-problem.js'
import { encoded } from '../encoded.js'
import { openUntouchedFile } from '../open-known-file.js'
import { saveFile } from '../save-file.js'
import { replaceContent } from './replace-content.js'

/** Makes a file, or replaces all of one that is known as it is. */
export async function writeTextFile(files: FilesPort, path: string, content: string, signal: AbortSignal) {
  const isNew = (await files.stat(path)) === undefined
  const write = isNew ? createFile : replaceFile
  return { isNew, ...(await write(files, path, content, signal)) }
}

async function replaceFile(files: FilesPort, path: string, content: string, signal: AbortSignal) {
  const known = await openUntouchedFile(files, path, signal)
  const before = decodeText(known.content)
  const problem = omissionProblem(before.text, content)
  if (problem !== undefined) throw new ToolCallError('tool_failed', problem)
  const after = encoded(before, [replaceContent(before, content)])
  // All of the file is known from now on, whatever part of it had been read.
  const saved = await saveFile(files, { ...known, content: after.bytes, expected: { content: known.content } }, signal)
  return { patch: patchOf(sameAround(before.text, after.text), before, saved), remarks: [...remarksOf([], saved)] }
}
