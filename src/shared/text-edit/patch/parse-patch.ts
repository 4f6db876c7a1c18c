import { foldLineEndings } from '../fold-line-endings.js'
import { ChunkReader } from './chunk-reader.js'
import { parseUnifiedDiff } from './parse-unified-diff.js'
import { type PatchSection, PatchSyntaxError } from './patch-section.js'

const BEGIN = '*** Begin Patch'
const END = '*** End Patch'
const SECTION = /^\*\*\* (Add|Update|Delete) File: (.+)$/
const MOVE = /^\*\*\* Move to: (.+)$/

/** Reads a patch between its begin and end marks, or a unified diff. */
export function parsePatch(patch: string): readonly PatchSection[] {
  const lines = foldLineEndings(patch).split('\n')
  const begin = lines.findIndex((line) => line.trim() === BEGIN)
  const sections = begin === -1 ? parseUnifiedDiff(lines) : parseMarked(lines, begin)
  if (sections.length === 0) throw new PatchSyntaxError('The patch changes no file.')
  refuseRepeated(sections)
  return sections
}

function parseMarked(lines: readonly string[], begin: number): readonly PatchSection[] {
  const end = lines.findIndex((line, index) => index > begin && line.trim() === END)
  // Without its end a patch may have been cut short: what it would do is not known.
  if (end === -1) throw new PatchSyntaxError(`The patch does not end with '${END}': it may have been cut short.`)
  const starts = lines.flatMap((line, index) => (index > begin && index < end && SECTION.test(line) ? [index] : []))
  refuseStray(lines, begin + 1, starts[0] ?? end)
  return starts.map((start, index) => parseSection(lines, start, starts[index + 1] ?? end))
}

function refuseStray(lines: readonly string[], from: number, to: number): void {
  const stray = lines.slice(from, to).findIndex((line) => line.trim() !== '')
  if (stray === -1) return
  throw new PatchSyntaxError(
    `Line ${from + stray + 1} of the patch belongs to no file. ` +
      "Begin with '*** Add File: PATH', '*** Update File: PATH' or '*** Delete File: PATH'.",
  )
}

function parseSection(lines: readonly string[], start: number, end: number): PatchSection {
  const [, kind, name = ''] = SECTION.exec(lines[start] ?? '') ?? []
  const path = name.trim()
  if (kind === 'Add') return { kind: 'add', path, content: addedContent(lines, start + 1, end) }
  if (kind === 'Delete') {
    refuseStray(lines, start + 1, end)
    return { kind: 'delete', path }
  }
  const moveTo = MOVE.exec(lines[start + 1] ?? '')?.[1]?.trim()
  const reader = new ChunkReader()
  for (let at = start + (moveTo === undefined ? 1 : 2); at < end; at++) reader.read(lines[at] ?? '', at + 1)
  const chunks = reader.end()
  if (chunks.length === 0 && moveTo === undefined) {
    throw new PatchSyntaxError(`The patch updates ${path} without saying how: lines with '-' and '+' are missing.`)
  }
  return { kind: 'update', path, chunks, ...(moveTo !== undefined && { moveTo }) }
}

function addedContent(lines: readonly string[], start: number, end: number): string {
  const added = lines.slice(start, end)
  while (added.at(-1) === '') added.pop()
  const wrong = added.findIndex((line) => !line.startsWith('+'))
  if (wrong !== -1) {
    throw new PatchSyntaxError(`Line ${start + wrong + 1} of the patch: every line of an added file begins with '+'.`)
  }
  return added.map((line) => `${line.slice(1)}\n`).join('')
}

/** Two sections about one file would depend on their order. */
function refuseRepeated(sections: readonly PatchSection[]): void {
  const paths = sections.flatMap((section) =>
    section.kind === 'update' && section.moveTo !== undefined ? [section.path, section.moveTo] : [section.path],
  )
  const repeated = paths.find((path, index) => paths.indexOf(path) !== index)
  if (repeated !== undefined) {
    throw new PatchSyntaxError(`The patch names ${repeated} twice. Put all that changes in a file under one heading.`)
  }
}
