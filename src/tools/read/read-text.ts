import { isUtf8 } from 'node:buffer'
import { ToolCallError } from '../../contract/errors.js'
import type { FileLine, FileLines, FilesPort, LineOptions } from '../../contract/ports/files.js'
import { computeContentHash } from '../../shared/content-hash.js'
import { cutText } from '../../shared/cut-text.js'
import { runStepsInSlices, type Steps } from '../../shared/steps.js'
import { detectEncoding, type TextEncoding } from '../documents/file-kind.js'
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
  const foundLines = await files.readLines(path, { ...range, realPath, signal })
  const nonTextAnswer = await readNonText(foundLines.head)
  if (nonTextAnswer !== undefined) return nonTextAnswer
  const fileLines = hasCrLines(foundLines.head) ? await readCrLines(files, request, range) : foundLines
  if (fileLines.stat.size === 0 && fileLines.lines.length === 0)
    return respondWithLines(files, request, fileLines, { type: 'empty', path })
  if (fileLines.lines.length === 0)
    throw new ToolCallError('tool_failed', describeBeyondEnd(path, firstLine, fileLines.totalLines))
  const lines = decodeLines(fileLines.lines, fileLines.head)
  const fittingCount = countFitting(lines, firstLine, getReadBudget(files).bytes)
  if (fittingCount === 0) throw createLongLineError(path, firstLine, files)
  // Read again, so that exactly the shown lines count as read.
  if (fittingCount < lines.length) return readText(files, { ...request, limit: fittingCount, isCut: true }, readNonText)
  const isCut = request.isCut === true || fileLines.endedBy === 'maxBytes'
  return respondWithLines(files, request, fileLines, {
    type: 'text',
    path,
    lines,
    firstLine,
    hasMore: fileLines.hasMore,
    ...(fileLines.hasMore && { totalLines: await countLines(files, request, fileLines) }),
    ...(isCut && { cutAt: getReadBudget(files).description }),
  })
}

/** In larger files, the lines after the range are not counted: a read must not cost more for what it does not show. */
const MAX_COUNTED_BYTES = 4 * 1024 * 1024

async function countLines(
  files: FilesPort,
  { path, realPath, signal }: ResolvedRequest,
  { stat, totalLines }: FileLines,
): Promise<number | undefined> {
  if (totalLines !== undefined || stat.size > MAX_COUNTED_BYTES) return totalLines
  const beyondEnd = { offset: Number.MAX_SAFE_INTEGER, limit: 1, maxBytes: 1, maxLineBytes: 1 }
  return (await files.readLines(path, { ...beyondEnd, realPath, signal })).totalLines
}

/** Records the read and returns the output, or `unchanged` if this agent has already seen it. */
function respondWithLines(
  files: FilesPort,
  request: ResolvedRequest,
  fileLines: FileLines,
  output: ReadOutput,
): ReadAnswer {
  const { offset = 1, limit = DEFAULT_LIMIT } = request
  const lineRangeText = `lines ${Math.max(1, offset)} to ${Math.max(1, offset) + limit - 1}`
  const { start, end } = fileLines.bytes
  const isWhole = start === 0 && end === fileLines.stat.size
  const entry = {
    contentHash: fileLines.contentHash,
    mtimeMs: fileLines.stat.mtimeMs,
    ...(!isWhole && { range: { offset: Math.max(1, offset), limit }, bytes: fileLines.bytes }),
  }
  return respondToRead(files, request, { realPath: fileLines.realPath, entry, part: lineRangeText }, output)
}

function describeBeyondEnd(path: string, firstLine: number, totalLines: number | undefined): string {
  const total = totalLines === undefined ? 'fewer lines' : totalLines === 1 ? '1 line' : `${totalLines} lines`
  return `${path} has ${total}; there is no line ${firstLine}. Choose a smaller offset.`
}

function createLongLineError(path: string, line: number, files: FilesPort): ToolCallError {
  return new ToolCallError(
    'tool_failed',
    `Line ${line} of ${path} exceeds the limit of ${getReadBudget(files).description} for one read. Extract the part you need with a command.`,
  )
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
  const isLatin1 = kind === 'eight-bit' && !texts.every((bytes) => isUtf8(bytes))
  const decoder = new TextDecoder(kind === 'eight-bit' ? 'utf-8' : kind, { ignoreBOM: true })
  return texts.map((bytes, at) => {
    // TextDecoder cannot be used, because its "latin1" is windows-1252.
    const text = isLatin1 ? Buffer.from(bytes).toString('latin1') : decoder.decode(bytes)
    const textWithoutBom = at === 0 && bomLength > 0 && text.startsWith('\ufeff') ? text.slice(1) : text
    const cutBytes = lines[at]?.cutBytes ?? 0
    return formatCutLine(cutBytes > 0 ? textWithoutBom : textWithoutBom.replace(/\r$/, ''), cutBytes)
  })
}

/** Removes an incomplete UTF-8 character at the end. */
function trimToWholeCharacters(bytes: Uint8Array): Uint8Array {
  for (let bytesBack = 1; bytesBack <= Math.min(4, bytes.length); bytesBack++) {
    const byte = bytes[bytes.length - bytesBack] as number
    if (byte < 0x80) return bytes
    if (byte >= 0xc0) return bytes.subarray(0, bytes.length - bytesBack)
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
  const firstReturn = head.indexOf(0x0d)
  // A CR at the very end may be the first half of a CRLF.
  return firstReturn !== -1 && firstReturn < head.length - 1
}

const MAX_CR_FILE_BYTES = 10 * 1024 * 1024

/** Reads a file with lone CRs as a whole, because such files are old and small. The port refuses large ones. */
async function readCrLines(
  files: FilesPort,
  { path, realPath, signal }: ResolvedRequest,
  { offset, limit, maxBytes, maxLineBytes }: LineOptions,
): Promise<FileLines> {
  const { content, stat } = await files.read(path, { maxBytes: MAX_CR_FILE_BYTES, realPath, signal })
  const lineSpans = splitAtCr(content, detectEncoding(content), { first: offset - 1, count: limit })
  const { spans, totalLines } = await runStepsInSlices(lineSpans, signal)
  const bytes = {
    start: spans[0]?.start ?? content.length,
    end: spans.at(-1)?.nextStart ?? content.length,
  }
  const size = spans.reduce((sum, { end, start }) => sum + Math.min(end - start, maxLineBytes), 0)
  const hasMore = offset - 1 + limit < totalLines
  return {
    lines: spans.map(({ start, end }) => toFileLine(content.subarray(start, end), maxLineBytes)),
    hasMore,
    endedBy: size > maxBytes ? 'maxBytes' : hasMore ? 'limit' : 'end',
    totalLines,
    bytes,
    contentHash: computeContentHash(content.subarray(bytes.start, bytes.end)),
    head: content.subarray(0, 3),
    stat,
    realPath,
  }
}

interface LineSpan {
  readonly start: number
  readonly end: number
  readonly nextStart: number
}

const LINES_PER_STEP = 10_000

/** Finds the selected lines of a file with lone CRs, and counts all lines. */
function* splitAtCr(
  content: Uint8Array,
  { bomLength }: TextEncoding,
  { first, count }: { readonly first: number; readonly count: number },
): Steps<{ readonly spans: readonly LineSpan[]; readonly totalLines: number }> {
  const spans: LineSpan[] = []
  let totalLines = 0
  for (let start = 0; start < content.length; totalLines++) {
    const returnIndex = content.indexOf(0x0d, Math.max(start, bomLength))
    const end = returnIndex === -1 ? content.length : returnIndex
    const nextStart = returnIndex === -1 ? end : end + 1
    if (totalLines >= first && spans.length < count) spans.push({ start, end, nextStart })
    start = nextStart
    if (totalLines % LINES_PER_STEP === 0) yield
  }
  return { spans, totalLines }
}

function toFileLine(bytes: Uint8Array, maxLineBytes: number): FileLine {
  return { bytes: bytes.subarray(0, maxLineBytes), cutBytes: Math.max(0, bytes.length - maxLineBytes) }
}
