import { DEFAULT_MAX_RESULT_SIZE_CHARS, MAX_TOOL_RESULT_BYTES, PREVIEW_CHARS } from '../contract/limits.js'
import { describeEmptyResult, type MessageResult, readResultText } from './message-result.js'
import { createPreview, describeFailure, formatCount } from './preview.js'
import { writeResultFile } from './result-file.js'

/** Applies the limit of the tool to one result: sent whole, or moved to a file under `directory` with a preview. */
export async function persistResult(result: MessageResult, directory: string): Promise<MessageResult> {
  if (result.replacement !== undefined || result.isSent === true) return result
  const block = describeEmptyResult(result.block)
  if (canSendWhole(readResultText(block), result.maxResultSizeChars)) return { ...result, block }
  if (isPersistable(result.maxResultSizeChars)) return moveToFile({ ...result, block }, directory)
  const problem = 'it exceeds the limit for all results, and results of this tool are never written to a file'
  return { ...result, block, replacement: createReplacementText(readResultText(block), { problem }) }
}

const MAX_BYTES_PER_CHAR = 3

/** Whether a text may be sent whole. The limit of the tool counts characters, the limit for all tools counts bytes. */
function canSendWhole(text: string, maxResultSizeChars: number): boolean {
  const limit = maxResultSizeChars > 0 ? maxResultSizeChars : DEFAULT_MAX_RESULT_SIZE_CHARS
  if (text.length > limit || text.length > MAX_TOOL_RESULT_BYTES) return false
  return text.length * MAX_BYTES_PER_CHAR <= MAX_TOOL_RESULT_BYTES || Buffer.byteLength(text) <= MAX_TOOL_RESULT_BYTES
}

/** Whether results may be written to a file. Those of a tool that reads files may not: the model would have to read that file again. */
export function isPersistable(maxResultSizeChars: number): boolean {
  return maxResultSizeChars !== Number.POSITIVE_INFINITY
}

/** Moves the text to a file and leaves a preview. If the disk fails, the preview is still sent. */
export async function moveToFile(
  result: MessageResult,
  directory: string,
  previewChars = result.previewChars,
): Promise<MessageResult> {
  const text = readResultText(result.block)
  const storedText = await storeText(directory, result.block.tool_use_id, text)
  return { ...result, replacement: createReplacementText(text, storedText, previewChars) }
}

async function storeText(directory: string, id: string, text: string): Promise<StoredText> {
  try {
    return { path: await writeResultFile(directory, id, text) }
  } catch (error) {
    return { problem: describeFailure(error) }
  }
}

/** Where the whole text is, or why it was not stored. */
type StoredText = { readonly path: string } | { readonly problem: string }

/**
 * Creates the replacement of a long text: its size, where the whole text is, its start and end. `previewChars` is the length of
 * the preview; with 0 it is a single line.
 */
export function createReplacementText(text: string, storedText: StoredText, previewChars = PREVIEW_CHARS): string {
  const size = `${formatCount(text.length)} characters (${formatCount(Buffer.byteLength(text))} bytes)`
  if (previewChars <= 0) return `[Long result: ${size}; ${describeLocation(storedText)}]`
  return `[Long result: ${size}; its start and end are below, ${describeRest(storedText)}]\n${createPreview(text, previewChars)}`
}

function describeLocation(storedText: StoredText): string {
  return 'path' in storedText ? `it is in ${storedText.path}.` : `it could not be stored (${storedText.problem}).`
}

/** Returns where the whole text is and how to read it. */
export function describeStoredText(path: string): string {
  return `the whole text is in ${path}. Read a range of that file, or search it with Grep.`
}

function describeRest(storedText: StoredText): string {
  if ('path' in storedText) return describeStoredText(storedText.path)
  return `the rest could not be stored (${storedText.problem}). If you need more of it, request a smaller part.`
}
