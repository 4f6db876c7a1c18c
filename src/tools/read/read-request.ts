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
}

/** A request with resolved links. The file that is opened later must still be this one. */
export interface ResolvedRequest extends ReadRequest {
  readonly realPath: string
}

/** The result of a read, and the callback once the model has it. */
export type ReadAnswer = ToolResult<ReadOutput>

interface KnownByRead {
  readonly realPath: string
  readonly entry: Omit<ReadFileEntry, 'shown'>
  /** A description of the shown part; equal parts have equal descriptions. */
  readonly part: string
}

/** Records the read. An agent is not shown the same part twice; only what was shown counts. */
export function answerRead(
  { readFileState }: FilesPort,
  { path, agentId }: ResolvedRequest,
  { realPath, entry, part }: KnownByRead,
  data: ReadOutput,
): ReadAnswer {
  const shown = agentId === undefined ? part : `${part} to ${agentId}`
  const before = readFileState.get(realPath)
  const known = before === undefined ? entry : { ...entry, mtimeMs: knownSince(before, entry) }
  const wasShown = before?.shown === shown && before.contentHash === entry.contentHash
  readFileState.set(realPath, wasShown ? { ...known, shown } : known)
  if (wasShown) return { data: { type: 'unchanged', path, part } }
  return {
    data,
    // Only now: a parallel call must not rely on a result that the model has not seen.
    onShown() {
      const now = readFileState.get(realPath)
      if (now?.contentHash === entry.contentHash) readFileState.set(realPath, { ...now, shown })
    },
  }
}

/** Reading a part reveals no changes outside it. */
function knownSince(before: ReadFileEntry, { bytes, mtimeMs }: ReadFileEntry): number {
  return bytes === undefined ? mtimeMs : before.mtimeMs
}

/** The maximum text of one read, in bytes and in tokens. */
interface ReadBudget {
  readonly bytes: number
  readonly description: string
}

export function readBudget({ fileReadingLimits: { maxTokens, maxSizeBytes } }: FilesPort): ReadBudget {
  const tokens = Math.min(maxTokens, MAX_TOOL_RESULT_TOKENS)
  const byTokens = tokens * BYTES_PER_TOKEN
  return byTokens <= maxSizeBytes
    ? { bytes: byTokens, description: `${tokens} tokens` }
    : { bytes: maxSizeBytes, description: `${maxSizeBytes} bytes` }
}
