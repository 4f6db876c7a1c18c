import { BYTES_PER_TOKEN, MAX_TOOL_RESULT_TOKENS } from '../../contract/limits.js'
import type { FilesPort } from '../../contract/ports/files.js'
import type { ReadFileEntry } from '../../contract/ports/read-file-state.js'
import type { ToolResult } from '../../contract/tool/tool.js'
import type { ReadInput, ReadOutput } from './schema.js'

/** A read request with its absolute path and agent. */
export interface ReadRequest extends Pick<ReadInput, 'offset' | 'limit' | 'pages'> {
  readonly path: string
  readonly cwd: string
  readonly signal: AbortSignal
  readonly agentId?: string | undefined
  /** Whether the result goes to code, which needs the content even if the model has already seen it. */
  readonly isNested?: boolean
}

/** A request with links resolved. The file that is opened later must still be this one. */
export interface ResolvedRequest extends ReadRequest {
  readonly realPath: string
  /** Whether the limit was reduced to what one read may return. */
  readonly isCut?: boolean
}

/** The result of a read, with a callback for when the model has seen it. */
export type ReadAnswer = ToolResult<ReadOutput>

/** The entry that a read adds to the read state. */
interface RecordedRead {
  readonly realPath: string
  readonly entry: Omit<ReadFileEntry, 'shown'>
  /** Describes the shown part. Equal parts have equal descriptions. */
  readonly part: string
}

/** Records the read. A part that the agent has already seen unchanged is not shown again. */
export function respondToRead(
  { readFileState }: FilesPort,
  { path, agentId, isNested = false }: ResolvedRequest,
  { realPath, entry, part }: RecordedRead,
  data: ReadOutput,
): ReadAnswer {
  const shownPart = agentId === undefined ? part : `${part} to ${agentId}`
  const entryBefore = readFileState.get(realPath)
  const newEntry = entryBefore === undefined ? entry : { ...entry, mtimeMs: getKnownMtime(entryBefore, entry) }
  const wasShown = entryBefore?.shown === shownPart && entryBefore.contentHash === entry.contentHash
  readFileState.set(realPath, wasShown ? { ...newEntry, shown: shownPart } : newEntry)
  if (wasShown && !isNested) return { data: { type: 'unchanged', path, part } }
  return {
    data,
    // Recorded only once shown, because a parallel call must not rely on a result that the model has not seen.
    onShown() {
      const currentEntry = readFileState.get(realPath)
      if (currentEntry?.contentHash === entry.contentHash)
        readFileState.set(realPath, { ...currentEntry, shown: shownPart })
    },
  }
}

/** Returns the modification time up to which the agent has read all changes. Reading a part shows no changes outside of it. */
function getKnownMtime(entryBefore: ReadFileEntry, { bytes, mtimeMs }: ReadFileEntry): number {
  return bytes === undefined ? mtimeMs : entryBefore.mtimeMs
}

/** The maximum size of the text of one read, and its description for messages. */
interface ReadBudget {
  readonly bytes: number
  readonly description: string
}

export function getReadBudget({ fileReadingLimits: { maxTokens, maxSizeBytes } }: FilesPort): ReadBudget {
  const tokens = Math.min(maxTokens, MAX_TOOL_RESULT_TOKENS)
  const tokenBytes = tokens * BYTES_PER_TOKEN
  return tokenBytes <= maxSizeBytes
    ? { bytes: tokenBytes, description: `${tokens} tokens` }
    : { bytes: maxSizeBytes, description: `${maxSizeBytes} bytes` }
}
