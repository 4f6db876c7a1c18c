import { BYTES_PER_TOKEN, MAX_TOOL_RESULT_TOKENS } from '../../contract/limits.js'
import type { FilesPort } from '../../contract/ports/files.js'
import type { ReadFileEntry } from '../../contract/ports/read-file-state.js'
import type { ToolResult } from '../../contract/tool/tool.js'
import type { ReadInput, ReadOutput } from './schema.js'

/** A read with its path made absolute, and for whom it is. */
export interface ReadRequest extends Pick<ReadInput, 'offset' | 'limit' | 'pages'> {
  readonly path: string
  readonly cwd: string
  readonly signal: AbortSignal
  readonly agentId?: string | undefined
}

/** A request whose links have been followed: what is opened later must still be this file. */
export interface ResolvedRequest extends ReadRequest {
  readonly realPath: string
}

/** What a read gives, and what is noted once the model has it. */
export type ReadAnswer = ToolResult<ReadOutput>

interface KnownByRead {
  readonly realPath: string
  readonly entry: Omit<ReadFileEntry, 'shown'>
  /** What is shown, in words that are the same for the same part. */
  readonly part: string
}

/** Notes what was read. The same agent is not shown the same twice; what it was not shown does not count. */
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
    // Not before: a call beside this one would be told of what nobody has seen yet, or never will.
    onShown() {
      const now = readFileState.get(realPath)
      if (now?.contentHash === entry.contentHash) readFileState.set(realPath, { ...now, shown })
    },
  }
}

/** A part that is read says nothing of what changed outside it. */
function knownSince(before: ReadFileEntry, { bytes, mtimeMs }: ReadFileEntry): number {
  return bytes === undefined ? mtimeMs : before.mtimeMs
}

/** How much text one read may give, in bytes and as the model counts. */
interface ReadBudget {
  readonly bytes: number
  readonly words: string
}

export function readBudget({ fileReadingLimits: { maxTokens, maxSizeBytes } }: FilesPort): ReadBudget {
  const tokens = Math.min(maxTokens, MAX_TOOL_RESULT_TOKENS)
  const byTokens = tokens * BYTES_PER_TOKEN
  return byTokens <= maxSizeBytes
    ? { bytes: byTokens, words: `${tokens} tokens` }
    : { bytes: maxSizeBytes, words: `${maxSizeBytes} bytes` }
}
