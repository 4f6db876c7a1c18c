import { DEFAULT_MAX_RESULT_SIZE_CHARS, MAX_TOOL_RESULT_BYTES, PREVIEW_CHARS } from '../contract/limits.js'
import { type MessageResult, resultText, sayEmpty } from './message-result.js'
import { describeFailure, formatCount, previewOf } from './preview.js'
import { writeResultFile } from './result-file.js'

/** Judges one result by the threshold of its tool: whole, or in a file under `directory` with a preview in its place. */
export async function persistResult(result: MessageResult, directory: string): Promise<MessageResult> {
  if (result.replacement !== undefined || result.isSent === true) return result
  const block = sayEmpty(result.block)
  if (isInlined(resultText(block), result.maxResultSizeChars)) return { ...result, block }
  if (isPersistable(result.maxResultSizeChars)) return moveToFile({ ...result, block }, directory)
  const problem = 'it is longer than any result may be, and results of this tool are never written to a file'
  return { ...result, block, replacement: replacementText(resultText(block), { problem }) }
}

const MOST_BYTES_OF_A_CHAR = 3

/** Whether a tool with this `maxResultSizeChars` may send a text whole: its own limit counts characters, the common one bytes. */
function isInlined(text: string, maxResultSizeChars: number): boolean {
  const limit = maxResultSizeChars > 0 ? maxResultSizeChars : DEFAULT_MAX_RESULT_SIZE_CHARS
  if (text.length > limit || text.length > MAX_TOOL_RESULT_BYTES) return false
  return text.length * MOST_BYTES_OF_A_CHAR <= MAX_TOOL_RESULT_BYTES || Buffer.byteLength(text) <= MAX_TOOL_RESULT_BYTES
}

/** Whether results of the tool may be written to a file; those of a tool that reads files would loop. */
export function isPersistable(maxResultSizeChars: number): boolean {
  return maxResultSizeChars !== Number.POSITIVE_INFINITY
}

/** The result with its text in a file and a preview in its place. A disk that fails costs the rest, never the answer. */
export async function moveToFile(
  result: MessageResult,
  directory: string,
  previewChars?: number,
): Promise<MessageResult> {
  const text = resultText(result.block)
  const stored = await store(directory, result.block.tool_use_id, text)
  return { ...result, replacement: replacementText(text, stored, previewChars) }
}

async function store(directory: string, id: string, text: string): Promise<StoredText> {
  try {
    return { path: await writeResultFile(directory, id, text) }
  } catch (error) {
    return { problem: describeFailure(error) }
  }
}

/** What became of the whole text: the file that has it, or why there is none. */
type StoredText = { readonly path: string } | { readonly problem: string }

/**
 * What the model reads in place of a long text: how long it is, where the rest is, its start and its end.
 * `previewChars` is how much of it is shown; where it is 0, one line says the rest.
 */
export function replacementText(text: string, stored: StoredText, previewChars = PREVIEW_CHARS): string {
  const size = `${formatCount(text.length)} characters (${formatCount(Buffer.byteLength(text))} bytes)`
  if (previewChars <= 0) return `[Long result: ${size}; ${wholePart(stored)}]`
  return `[Long result: ${size}; its start and end are below, ${restPart(stored)}]\n${previewOf(text, previewChars)}`
}

function wholePart(stored: StoredText): string {
  return 'path' in stored ? `it is in ${stored.path}.` : `it could not be kept (${stored.problem}).`
}

function restPart(stored: StoredText): string {
  if ('path' in stored) return `all of it is in ${stored.path}. Read a range of that file, or search it with Grep.`
  return `the rest could not be kept (${stored.problem}). If you need more of it, ask for a smaller part.`
}
