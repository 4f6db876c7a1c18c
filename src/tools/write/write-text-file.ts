import { ToolCallError } from '../../contract/errors.js'
import type { FilesPort } from '../../contract/ports/files.js'
import { fitMatch } from '../../edits/fit-match.js'
import { type DecodedText, decodeText } from '../../edits/text/encoding.js'
import { foldLineEndings } from '../../edits/text/lines.js'
import type { TextChange } from '../../edits/text/text-change.js'
import { compareTexts } from '../../edits/unified-patch.js'
import { findOmissionProblem } from '../editing/edit-input.js'
import { openUnchangedFile } from '../editing/known-file.js'
import { changeTextOrExplain, createFile, createPatch, createRemarks, saveFile } from '../editing/save-file.js'

/** Creates a file, or replaces one whose current content the agent has read. */
export async function writeTextFile(files: FilesPort, path: string, content: string, signal: AbortSignal) {
  const isNew = (await files.stat(path)) === undefined
  const write = isNew ? createFile : replaceFile
  return { isNew, differs: false, ...(await write(files, path, content, signal)) }
}

async function replaceFile(files: FilesPort, path: string, content: string, signal: AbortSignal) {
  const knownFile = await openUnchangedFile(files, path, signal)
  const textBefore = decodeText(knownFile.content)
  const problem = await findOmissionProblem(textBefore.text, content)
  if (problem !== undefined) throw new ToolCallError('tool_failed', problem)
  const textAfter = changeTextOrExplain(textBefore, [replaceContent(textBefore, content)])
  // Without `formerFile`, the whole file counts as read afterwards.
  const savedFile = await saveFile(
    files,
    { ...knownFile, content: textAfter.bytes, expected: { content: knownFile.content } },
    signal,
  )
  return {
    patch: await createPatch(compareTexts(textBefore.text, textAfter.text), textBefore, savedFile),
    remarks: [...createRemarks([], savedFile)],
    differs: savedFile.isReformatted,
  }
}

/**
 * Returns the change that replaces the content. It keeps the line endings of the file, unless the content has carriage
 * returns.
 */
function replaceContent({ text, bomLength }: DecodedText, content: string): TextChange {
  // The file keeps its byte order mark, so one at the start of the content is removed.
  const newText = bomLength > 0 && content.startsWith('\ufeff') ? content.slice(1) : content
  const wholeRange = { start: 0, end: text.length }
  if (newText.includes('\r') || !text.includes('\r')) return { ...wholeRange, text: newText }
  const haystack = { text, hasCarriageReturns: true }
  return (
    fitMatch(haystack, { ...wholeRange, edit: { oldText: foldLineEndings(text), newText } }) ?? {
      ...wholeRange,
      text: newText,
    }
  )
}
