import { isUtf8 } from 'node:buffer'
import { ToolCallError } from '../../contract/errors.js'
import type { FileLine, FileLines, FilesPort, LineOptions } from '../../contract/ports/files.js'
import { contentHash } from '../../shared/content-hash.js'
import { cutText } from '../../shared/cut-text.js'
import { detectEncoding, type TextEncoding } from './file-kind.js'
import { getReadBudget, type ReadAnswer, type ResolvedRequest, respondToRead } from './read-request.js'
import type { ReadOutput } from './schema.js'

const DEFAULT_LIMIT = 2000

/** Reads lines of a text file. `readNonText` receives the first bytes and reads the file instead if it is not text. */
export async function readText(
  files: FilesPort,
  request: ResolvedRequest,
  readNonText: (head: Uint8Array) => Promise<ReadAnswer | undefined>,
): Promise<ReadAnswer> {
  const firstLine = Math.max(1, request.offset ?? 1)
  const limit = request.limit ?? DEFAULT_LIMIT
  // Long lines are cut, possibly to a quarter of their bytes, so the limit is checked again after that.
  const maxBytes = getReadBudget(files).bytes * 4
  const range = { offset: firstLine, limit, maxBytes, maxLineBytes: MAX_LINE_BYTES }
  const { path, realPath, signal } = request
  const found = await files.readLines(path, { ...range, realPath, signal })
  const nonText = await readNonText(found.head)
  if (nonText !== undefined) return nonText
  const read = hasCrLines(found.head) ? await readCrLines(files, request, range) : found
  if (read.stat.size === 0 && read.lines.length === 0)
    return respondWithLines(files, request, read, { type: 'empty', path })
  if (read.lines.length === 0)
    throw new ToolCallError('tool_failed', describeBeyondEnd(path, firstLine, read.totalLines))
  const lines = decodeLines(read.lines, read.head)
  refuseOverBudget(lines, read, { path, firstLine, files })
  return respondWithLines(files, request, read, { type: 'text', path, lines, firstLine, hasMore: read.hasMore })
}

/** Records the read and returns the output, or `unchanged` if this agent has already seen it. */
function respondWithLines(files: FilesPort, request: ResolvedRequest, read: FileLines, output: ReadOutput): ReadAnswer {
  const { offset = 1, limit = DEFAULT_LIMIT } = request
  const part = `lines ${Math.max(1, offset)} to ${Math.max(1, offset) + limit - 1}`
  const { start, end } = read.bytes
  const isWhole = start === 0 && end === read.stat.size
  const entry = {
    contentHash: read.contentHash,
    mtimeMs: read.stat.mtimeMs,
    ...(!isWhole && { range: { offset: Math.max(1, offset), limit }, bytes: read.bytes }),
  }
  return respondToRead(files, request, { realPath: read.realPath, entry, part }, output)
}

function describeBeyondEnd(path: string, firstLine: number, totalLines: number | undefined): string {
  const total = totalLines === undefined ? 'fewer lines' : totalLines === 1 ? '1 line' : `${totalLines} lines`
  return `${path} has ${total}; there is no line ${firstLine}. Choose a smaller offset.`
}

function refuseOverBudget(
  lines: readonly string[],
  read: FileLines,
  { path, firstLine, files }: { path: string; firstLine: number; files: FilesPort },
): void {
  const budget = getReadBudget(files)
  const fitting = countFitting(lines, firstLine, budget.bytes)
  if (fitting === lines.length && read.endedBy !== 'maxBytes') return
  const problem = `The requested part of ${path} exceeds the limit of ${budget.description} for one read.`
  const advice =
    fitting === 0
      ? `Line ${firstLine} alone is too long. Extract the part you need with a command.`
      : `Lines ${firstLine} to ${firstLine + fitting - 1} fit: read with offset ${firstLine} and limit ${fitting}, or find the place with Grep first.`
  throw new ToolCallError('tool_failed', `${problem} ${advice}`)
}

function countFitting(lines: readonly string[], firstLine: number, maxBytes: number): number {
  let usedBytes = 0
  for (const [at, line] of lines.entries()) {
    usedBytes += Buffer.byteLength(line) + String(firstLine + at).length + 2
    if (usedBytes > maxBytes) return at
  }
  return lines.length
}

const MAX_LINE_CHARS = 2000
/** A character has at most four bytes in every supported encoding. */
const MAX_LINE_BYTES = MAX_LINE_CHARS * 4

/** Decodes lines without their endings and cuts long ones. If one line is not valid UTF-8, all lines are read as Latin-1. */
function decodeLines(lines: readonly FileLine[], head: Uint8Array): string[] {
  const { kind, bomLength } = detectEncoding(head)
  const texts = lines.map(({ bytes, cutBytes }) => (cutBytes > 0 ? trimToWholeCharacters(bytes) : bytes))
  const isLatin = kind === 'eight-bit' && !texts.every((bytes) => isUtf8(bytes))
  const decoder = new TextDecoder(kind === 'eight-bit' ? 'utf-8' : kind, { ignoreBOM: true })
  return texts.map((bytes, at) => {
    // TextDecoder cannot be used, because its "latin1" is windows-1252.
    const text = isLatin ? Buffer.from(bytes).toString('latin1') : decoder.decode(bytes)
    const withoutBom = at === 0 && bomLength > 0 && text.startsWith('\ufeff') ? text.slice(1) : text
    const cutBytes = lines[at]?.cutBytes ?? 0
    return formatCutLine(cutBytes > 0 ? withoutBom : withoutBom.replace(/\r$/, ''), cutBytes)
  })
}

/** Removes an incomplete UTF-8 character at the end. */
function trimToWholeCharacters(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number
    if (byte < 0x80) return bytes
    if (byte >= 0xc0) return bytes.subarray(0, bytes.length - back)
  }
  return bytes
}

function formatCutLine(text: string, cutBytes: number): string {
  if (cutBytes === 0 && text.length <= MAX_LINE_CHARS) return text
  const shownText = cutText(text, MAX_LINE_CHARS)
  const hiddenChars = text.length - shownText.length
  const count = cutBytes > 0 ? `at least ${hiddenChars + Math.ceil(cutBytes / 4)}` : `${hiddenChars}`
  return `${shownText}… [line cut: ${count} more characters]`
}

/** Whether lines end with a lone CR, as in classic Mac OS files: there are CRs but no LF. */
function hasCrLines(head: Uint8Array): boolean {
  const { kind } = detectEncoding(head)
  if (kind !== 'eight-bit' || head.includes(0x0a)) return false
  const first = head.indexOf(0x0d)
  // A CR at the very end may be the first half of a CRLF.
  return first !== -1 && first < head.length - 1
}

const MAX_CR_FILE_BYTES = 10 * 1024 * 1024

/** Reads a file with lone CRs as a whole, because such files are old and small. The port refuses large ones. */
async function readCrLines(
  files: FilesPort,
  { path, realPath, signal }: ResolvedRequest,
  { offset, limit, maxBytes, maxLineBytes }: LineOptions,
): Promise<FileLines> {
  const { content, stat } = await files.read(path, { maxBytes: MAX_CR_FILE_BYTES, realPath, signal })
  const allLines = splitAtCr(content, detectEncoding(content))
  const last = Math.min(allLines.length, offset - 1 + limit)
  const selectedLines = allLines.slice(offset - 1, last)
  const bytes = { start: selectedLines[0]?.start ?? content.length, end: selectedLines.at(-1)?.next ?? content.length }
  const size = selectedLines.reduce((sum, { end, start }) => sum + Math.min(end - start, maxLineBytes), 0)
  const hasMore = last < allLines.length
  return {
    lines: selectedLines.map(({ start, end }) => lineOf(content.subarray(start, end), maxLineBytes)),
    hasMore,
    endedBy: size > maxBytes ? 'maxBytes' : hasMore ? 'limit' : 'end',
    totalLines: allLines.length,
    bytes,
    contentHash: contentHash(content.subarray(bytes.start, bytes.end)),
    head: content.subarray(0, 3),
    stat,
    realPath,
  }
}

interface Line {
  readonly start: number
  readonly end: number
  readonly next: number
}

function splitAtCr(content: Uint8Array, { bomLength }: TextEncoding): Line[] {
  const lines: Line[] = []
  let start = 0
  while (start < content.length) {
    const found = content.indexOf(0x0d, Math.max(start, bomLength))
    const end = found === -1 ? content.length : found
    const next = found === -1 ? end : end + 1
    lines.push({ start, end, next })
    start = next
  }
  return lines
}

function lineOf(bytes: Uint8Array, maxLineBytes: number): FileLine {
  return { bytes: bytes.subarray(0, maxLineBytes), cutBytes: Math.max(0, bytes.length - maxLineBytes) }
}
