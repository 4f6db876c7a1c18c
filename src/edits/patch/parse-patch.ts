import { cutText } from '../../shared/cut-text.js'
import { trimEnd } from '../../shared/trim-end.js'
import { foldLineEndings } from '../text/lines.js'

/** The change of one file in a patch. */
export type PatchSection =
  | { readonly kind: 'add'; readonly path: string; readonly content: string }
  | { readonly kind: 'delete'; readonly path: string }
  | {
      readonly kind: 'update'
      readonly path: string
      readonly moveTo?: string
      readonly chunks: readonly PatchChunk[]
    }

/** Consecutive lines of a file and their replacement. */
export interface PatchChunk {
  /** Lines above the chunk, outermost first, that distinguish its place from similar ones. */
  readonly anchors: readonly string[]
  readonly oldLines: readonly string[]
  readonly newLines: readonly string[]
  /** For each new line the index of the old line it equals; undefined for an added line. */
  readonly oldIndexes: readonly (number | undefined)[]
  /** The line number of the first line according to the patch. */
  readonly line?: number
  /** Whether the chunk is at the end of the file. */
  readonly isAtEnd: boolean
}

/** Thrown for a patch with a syntax error. The message names the line and the expected form. */
export class PatchSyntaxError extends Error {
  override readonly name = 'PatchSyntaxError'
}

const BEGIN_MARK = '*** Begin Patch'
const END_MARK = '*** End Patch'
const SECTION_HEADING = /^\*\*\* (Add|Update|Delete) File: (.+)$/
const MOVE_HEADING = /^\*\*\* Move to: (.+)$/

/** Every file is judged and locked before the first one is written, so the number is limited. */
const MAX_SECTIONS = 200

/**
 * Limits the time for which parsing blocks the event loop. A call parses its patch several times, each time without a pause.
 */
const MAX_LINES = 20_000

/** Parses a patch between its begin and end marks, or a unified diff. */
export function parsePatch(patch: string): readonly PatchSection[] {
  const lines = foldLineEndings(patch).split('\n', MAX_LINES + 1)
  if (lines.length > MAX_LINES) {
    throw new PatchSyntaxError(
      `The patch has more than ${MAX_LINES} lines, which is too large for one call. ` +
        'Send several patches, or write new files with Write.',
    )
  }
  const begin = lines.findIndex((line) => line.trim() === BEGIN_MARK)
  const sections = begin === -1 ? parseUnifiedDiff(lines) : parseMarkedPatch(lines, begin)
  if (sections.length === 0) {
    throw new PatchSyntaxError(
      "The patch has no file sections. Add one for each file, for example '*** Update File: PATH'.",
    )
  }
  if (sections.length > MAX_SECTIONS) {
    throw new PatchSyntaxError(
      `The patch changes ${sections.length} files, which is too large for one call: the limit is ${MAX_SECTIONS}. ` +
        'Send several patches, or apply it with a command such as git apply.',
    )
  }
  refuseRepeatedPaths(sections)
  return sections
}

function parseMarkedPatch(lines: readonly string[], begin: number): readonly PatchSection[] {
  const end = lines.findIndex((line, index) => index > begin && line.trim() === END_MARK)
  // A patch without an end mark may be truncated, so its full effect is unknown.
  if (end === -1)
    throw new PatchSyntaxError(`The patch does not end with '${END_MARK}'. It may be truncated: send the whole patch.`)
  const startIndexes = lines.flatMap((line, index) =>
    index > begin && index < end && SECTION_HEADING.test(line) ? [index] : [],
  )
  refuseStrayLines(lines, begin + 1, startIndexes[0] ?? end)
  return startIndexes.map((start, index) => parseSection(lines, start, startIndexes[index + 1] ?? end))
}

function refuseStrayLines(lines: readonly string[], from: number, to: number): void {
  const strayIndex = lines.slice(from, to).findIndex((line) => line.trim() !== '')
  if (strayIndex === -1) return
  throw new PatchSyntaxError(
    `Line ${from + strayIndex + 1} of the patch is outside a file section. ` +
      "Start each section with '*** Add File: PATH', '*** Update File: PATH' or '*** Delete File: PATH'.",
  )
}

function parseSection(lines: readonly string[], start: number, end: number): PatchSection {
  const [, kind, name = ''] = SECTION_HEADING.exec(lines[start] ?? '') ?? []
  const path = name.trim()
  if (kind === 'Add') return { kind: 'add', path, content: readAddedContent(lines, start + 1, end) }
  if (kind === 'Delete') {
    refuseStrayLines(lines, start + 1, end)
    return { kind: 'delete', path }
  }
  const moveTo = MOVE_HEADING.exec(lines[start + 1] ?? '')?.[1]?.trim()
  const reader = new ChunkReader()
  for (let at = start + (moveTo === undefined ? 1 : 2); at < end; at++) reader.read(lines[at] ?? '', at + 1)
  const chunks = reader.end()
  if (chunks.length === 0 && moveTo === undefined) {
    throw new PatchSyntaxError(
      `The patch updates ${path} but has no changed lines: start removed lines with '-' and added lines with '+'.`,
    )
  }
  return { kind: 'update', path, chunks, ...(moveTo !== undefined && { moveTo }) }
}

function readAddedContent(lines: readonly string[], start: number, end: number): string {
  const addedLines = lines.slice(start, end)
  while (addedLines.at(-1) === '') addedLines.pop()
  const invalidIndex = addedLines.findIndex((line) => !line.startsWith('+'))
  if (invalidIndex !== -1) {
    throw new PatchSyntaxError(
      `Line ${start + invalidIndex + 1} of the patch: every line of an added file must start with '+'.`,
    )
  }
  return addedLines.map((line) => `${line.slice(1)}\n`).join('')
}

/** Rejects two sections for one file: their result would depend on their order. */
function refuseRepeatedPaths(sections: readonly PatchSection[]): void {
  const paths = sections.flatMap((section) =>
    section.kind === 'update' && section.moveTo !== undefined ? [section.path, section.moveTo] : [section.path],
  )
  const seenPaths = new Set<string>()
  const repeatedPath = paths.find((path) => seenPaths.size === seenPaths.add(path).size)
  if (repeatedPath !== undefined) {
    throw new PatchSyntaxError(`The patch names ${repeatedPath} twice. Put all changes of a file into one section.`)
  }
}

const NO_FILE = '/dev/null'

/** Parses a unified diff, as written by `diff -u` and git. */
function parseUnifiedDiff(lines: readonly string[]): readonly PatchSection[] {
  const startIndexes = lines.flatMap((line, index) => (isHeading(lines, index, line) ? [index] : []))
  if (startIndexes.length === 0) {
    throw new PatchSyntaxError(
      "Invalid patch. Write '*** Begin Patch', for each file a heading such as '*** Update File: PATH' " +
        "with lines that start with ' ', '-' or '+', and '*** End Patch'.",
    )
  }
  return startIndexes.map((start, index) => parseFile(lines, start, startIndexes[index + 1] ?? lines.length))
}

function isHeading(lines: readonly string[], index: number, line: string): boolean {
  return line.startsWith('--- ') && lines[index + 1]?.startsWith('+++ ') === true
}

function parseFile(lines: readonly string[], start: number, end: number): PatchSection {
  const from = pathOf(lines[start] ?? '')
  const to = pathOf(lines[start + 1] ?? '')
  const body = readBody(lines, start + 2, end)
  if (to === NO_FILE) return { kind: 'delete', path: stripSidePrefix(from, 'a') }
  if (from === NO_FILE) return { kind: 'add', path: stripSidePrefix(to, 'b'), content: readAddedLines(body) }
  const hasSidePrefixes = from.startsWith('a/') && to.startsWith('b/')
  const path = hasSidePrefixes ? from.slice(2) : from
  const target = hasSidePrefixes ? to.slice(2) : to
  const reader = new ChunkReader()
  for (const [index, line] of body.entries()) reader.read(line, start + 3 + index)
  return { kind: 'update', path, chunks: reader.end(), ...(target !== path && { moveTo: target }) }
}

/** Returns the lines between a file's heading and git's header of the next file. */
function readBody(lines: readonly string[], start: number, end: number): readonly string[] {
  const body = lines.slice(start, end)
  const nextIndex = body.findIndex((line) =>
    /^diff --git |^index [0-9a-f]+\.\.|^(?:similarity|rename|new file|old mode) /.test(line),
  )
  return nextIndex === -1 ? body : body.slice(0, nextIndex)
}

function readAddedLines(body: readonly string[]): string {
  const addedLines = body.filter((line) => line.startsWith('+')).map((line) => line.slice(1))
  const content = addedLines.map((line) => `${line}\n`).join('')
  return body.some((line) => line.startsWith('\\ No newline')) ? content.slice(0, -1) : content
}

function pathOf(heading: string): string {
  return (heading.slice(4).split('\t')[0] ?? '').trim()
}

function stripSidePrefix(path: string, side: string): string {
  return path.startsWith(`${side}/`) ? path.slice(2) : path
}

const HUNK_HEADER = /^@@+ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/

/** Reads the lines of one file section, one at a time. */
class ChunkReader {
  private readonly chunks: PatchChunk[] = []
  private anchors: string[] = []
  private line: number | undefined
  private oldLines: string[] = []
  private newLines: string[] = []
  private oldIndexes: (number | undefined)[] = []

  read(text: string, lineNumber: number): void {
    if (text.startsWith('@@')) this.startChunk(text)
    else if (text.trim() === '*** End of File') this.endChunk(true)
    else if (!text.startsWith('\\')) this.addLine(text, lineNumber)
  }

  end(): readonly PatchChunk[] {
    this.endChunk(false)
    return this.chunks
  }

  private startChunk(text: string): void {
    this.endChunk(false)
    const line = HUNK_HEADER.exec(text)?.[1]
    // The text after the line numbers of a unified diff is a guess of the diff program, not an anchor.
    if (line !== undefined) this.line = Number(line)
    else if (text.replace(/^@+/, '').trim() !== '') this.anchors.push(trimEnd(text.replace(/^@+/, ''), '@').trim())
  }

  private addLine(text: string, lineNumber: number): void {
    const mark = text[0] ?? ' '
    if (mark !== ' ' && mark !== '+' && mark !== '-') {
      throw new PatchSyntaxError(
        `Line ${lineNumber} of the patch must start with ' ', '+' or '-': ${JSON.stringify(cutText(text, 80))}`,
      )
    }
    if (mark !== '-') {
      this.newLines.push(text.slice(1))
      this.oldIndexes.push(mark === ' ' ? this.oldLines.length : undefined)
    }
    if (mark !== '+') this.oldLines.push(text.slice(1))
  }

  private endChunk(isAtEnd: boolean): void {
    this.dropStrayBlanks()
    if (this.oldLines.length === 0 && this.newLines.length === 0) return
    const { anchors, oldLines, newLines, oldIndexes, line } = this
    this.chunks.push({ anchors, oldLines, newLines, oldIndexes, isAtEnd, ...(line !== undefined && { line }) })
    this.anchors = []
    this.oldLines = []
    this.newLines = []
    this.oldIndexes = []
    this.line = undefined
  }

  /** Removes blank lines at the end of a chunk, which separate it from the next heading and are not context. */
  private dropStrayBlanks(): void {
    while (this.oldLines.at(-1) === '' && this.newLines.at(-1) === '' && this.oldIndexes.at(-1) !== undefined) {
      this.oldLines.pop()
      this.newLines.pop()
      this.oldIndexes.pop()
    }
  }
}
