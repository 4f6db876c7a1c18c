import { describeFailure } from './describe-failure.js'
import type { MessageResult } from './message-result.js'
import { replacementText, type StoredText } from './replacement-text.js'
import { resultText } from './result-text.js'
import { writeResultFile } from './write-result-file.js'

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
