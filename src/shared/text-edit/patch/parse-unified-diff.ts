import { ChunkReader } from './chunk-reader.js'
import { type PatchSection, PatchSyntaxError } from './patch-section.js'

const NOTHING = '/dev/null'

/** Reads a unified diff, as `diff -u` and git write it. */
export function parseUnifiedDiff(lines: readonly string[]): readonly PatchSection[] {
  const starts = lines.flatMap((line, index) => (isHeading(lines, index, line) ? [index] : []))
  if (starts.length === 0) {
    throw new PatchSyntaxError(
      "This is no patch. Write '*** Begin Patch', for each file a heading such as '*** Update File: PATH' " +
        "with lines that begin with ' ', '-' or '+', and '*** End Patch'.",
    )
  }
  return starts.map((start, index) => parseFile(lines, start, starts[index + 1] ?? lines.length))
}

function isHeading(lines: readonly string[], index: number, line: string): boolean {
  return line.startsWith('--- ') && lines[index + 1]?.startsWith('+++ ') === true
}

function parseFile(lines: readonly string[], start: number, end: number): PatchSection {
  const from = pathOf(lines[start] ?? '')
  const to = pathOf(lines[start + 1] ?? '')
  const body = bodyOf(lines, start + 2, end)
  if (to === NOTHING) return { kind: 'delete', path: withoutSide(from, 'a') }
  if (from === NOTHING) return { kind: 'add', path: withoutSide(to, 'b'), content: addedContent(body) }
  const isSided = from.startsWith('a/') && to.startsWith('b/')
  const path = isSided ? from.slice(2) : from
  const target = isSided ? to.slice(2) : to
  const reader = new ChunkReader()
  for (const [index, line] of body.entries()) reader.read(line, start + 3 + index)
  return { kind: 'update', path, chunks: reader.end(), ...(target !== path && { moveTo: target }) }
}

/** The lines up to what git says of the next file. */
function bodyOf(lines: readonly string[], start: number, end: number): readonly string[] {
  const body = lines.slice(start, end)
  const next = body.findIndex((line) =>
    /^diff --git |^index [0-9a-f]+\.\.|^(?:similarity|rename|new file|old mode) /.test(line),
  )
  return next === -1 ? body : body.slice(0, next)
}

function addedContent(body: readonly string[]): string {
  const added = body.filter((line) => line.startsWith('+')).map((line) => line.slice(1))
  const content = added.map((line) => `${line}\n`).join('')
  return body.some((line) => line.startsWith('\\ No newline')) ? content.slice(0, -1) : content
}

function pathOf(heading: string): string {
  return (heading.slice(4).split('\t')[0] ?? '').trim()
}

function withoutSide(path: string, side: string): string {
  return path.startsWith(`${side}/`) ? path.slice(2) : path
}
