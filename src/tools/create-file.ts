import { ToolCallError } from '../contract/errors.js'
import { isFileError } from '../contract/ports/file-error.js'
import type { FilesPort } from '../contract/ports/files.js'
import { remarksOf } from './edit-outcome.js'
import { encodedNew } from './encoded.js'
import { saveFile } from './save-file.js'

/** Writes a file where there is none. What it holds is known to the one who sent it: there is no patch to show. */
export async function createFile(files: FilesPort, path: string, content: string, signal: AbortSignal) {
  try {
    const bytes = encodedNew(content)
    const saved = await saveFile(files, { path, content: bytes, expected: 'absent' }, signal)
    return { patch: '', remarks: [...remarksOf([], { ...saved, isReformatted: false }), ...reformatted(saved)] }
  } catch (error) {
    if (!isFileError(error) || error.code !== 'exists') throw error
    const advice = 'Read it, then change it with an old_string that stands in it, or replace it with Write.'
    throw new ToolCallError('tool_failed', `${path} exists already, and nothing was written. ${advice}`, {
      cause: error,
    })
  }
}

function reformatted({ isReformatted }: { readonly isReformatted: boolean }): readonly string[] {
  return isReformatted ? ['A formatter went over the file: read it before you rely on how it is laid out.'] : []
}
