import type { FilesPort } from '../../contract/ports/files.js'
import type { ReadFileEntry } from '../../contract/read-file-state.js'

/** Notes what was read; tells whether the same agent was shown just the same before. */
export function rememberRead(
  { readFileState }: FilesPort,
  realPath: string,
  entry: ReadFileEntry & { readonly shown: string },
): { readonly wasShown: boolean } {
  const before = readFileState.get(realPath)
  readFileState.set(realPath, before === undefined ? entry : { ...entry, mtimeMs: knownSince(before, entry) })
  return { wasShown: before?.shown === entry.shown && before.contentHash === entry.contentHash }
}

/** A part that is read says nothing of what changed outside it. */
function knownSince(before: ReadFileEntry, { bytes, mtimeMs }: ReadFileEntry): number {
  return bytes === undefined ? mtimeMs : before.mtimeMs
}

/** The same words for the same part shown to the same agent. */
export function shownPart(part: string, agentId: string | undefined): string {
  return agentId === undefined ? part : `${part} to ${agentId}`
}
