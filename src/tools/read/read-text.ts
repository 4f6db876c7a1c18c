import { ToolCallError } from '../../contract/errors.js'
import type { FileLines, FilesPort } from '../../contract/ports/files.js'
import { answerRead, type ReadAnswer } from './answer-read.js'
import { endsLinesByCr, readCrLines } from './cr-lines.js'
import { decodeLines, MAX_LINE_BYTES } from './decode-lines.js'
import { readBudget } from './read-budget.js'
import type { ResolvedRequest } from './read-request.js'
import type { ReadOutput } from './schema.js'

const DEFAULT_LIMIT = 2000

/** Reads lines of a text. `readOther` is told how the file begins, and reads it instead where it is no text. */
export async function readText(
  files: FilesPort,
  request: ResolvedRequest,
  readOther: (head: Uint8Array) => Promise<ReadAnswer | undefined>,
): Promise<ReadAnswer> {
  const firstLine = Math.max(1, request.offset ?? 1)
  const limit = request.limit ?? DEFAULT_LIMIT
  // A line may be shown in a quarter of its bytes; what fits is counted afterwards.
  const maxBytes = readBudget(files).bytes * 4
  const range = { offset: firstLine, limit, maxBytes, maxLineBytes: MAX_LINE_BYTES }
  const { path, realPath, signal } = request
  const found = await files.readLines(path, { ...range, realPath, signal })
  const other = await readOther(found.head)
  if (other !== undefined) return other
  const read = endsLinesByCr(found.head) ? await readCrLines(files, request, range) : found
  if (read.stat.size === 0 && read.lines.length === 0) return remembered(files, request, read, { type: 'empty', path })
  if (read.lines.length === 0) throw new ToolCallError('tool_failed', beyondEnd(path, firstLine, read.totalLines))
  const lines = decodeLines(read.lines, read.head)
  refuseTooMuch(lines, read, { path, firstLine, files })
  return remembered(files, request, read, { type: 'text', path, lines, firstLine, hasMore: read.hasMore })
}

/** The answer, unless this agent has had it before. */
function remembered(files: FilesPort, request: ResolvedRequest, read: FileLines, output: ReadOutput): ReadAnswer {
  const { offset = 1, limit = DEFAULT_LIMIT } = request
  const part = `lines ${Math.max(1, offset)} to ${Math.max(1, offset) + limit - 1}`
  const { start, end } = read.bytes
  const isWhole = start === 0 && end === read.stat.size
  const entry = {
    contentHash: read.contentHash,
    mtimeMs: read.stat.mtimeMs,
    ...(!isWhole && { range: { offset: Math.max(1, offset), limit }, bytes: read.bytes }),
  }
  return answerRead(files, request, { realPath: read.realPath, entry, part }, output)
}

function beyondEnd(path: string, firstLine: number, totalLines: number | undefined): string {
  const total = totalLines === undefined ? 'fewer' : totalLines === 1 ? '1 line' : `${totalLines} lines`
  return `${path} has ${total}; there is no line ${firstLine}. Choose an offset within it.`
}

function refuseTooMuch(
  lines: readonly string[],
  read: FileLines,
  { path, firstLine, files }: { path: string; firstLine: number; files: FilesPort },
): void {
  const budget = readBudget(files)
  const fitting = countFitting(lines, firstLine, budget.bytes)
  if (fitting === lines.length && read.endedBy !== 'maxBytes') return
  const wanted = `What you asked for of ${path} is more than the ${budget.words} that one read may give.`
  const advice =
    fitting === 0
      ? `Not even line ${firstLine} fits. Take the part you need with a command.`
      : `Lines ${firstLine} to ${firstLine + fitting - 1} fit: read with offset ${firstLine} and limit ${fitting}, or find the place with Grep first.`
  throw new ToolCallError('tool_failed', `${wanted} ${advice}`)
}

function countFitting(lines: readonly string[], firstLine: number, maxBytes: number): number {
  let used = 0
  for (const [at, line] of lines.entries()) {
    used += Buffer.byteLength(line) + String(firstLine + at).length + 2
    if (used > maxBytes) return at
  }
  return lines.length
}
