import type { SearchQuery } from '../../contract/ports/search.js'
import { compareCodeUnits } from '../../shared/compare-code-units.js'
import type { Steps } from '../../shared/steps.js'
import type { PathFilter } from './glob-files.js'
import type { SearchRoot } from './open-root.js'

export interface FoundLine {
  readonly path: string
  /** The path as ripgrep printed it. */
  readonly printedPath: Buffer
  readonly number: number
  /** `:` for a match, `-` for a context line. */
  readonly mark: string
  readonly content: Buffer
}

/**
 * Parses the lines that ripgrep printed and sorts them by path and line number. `maxLines` is for output that is in order
 * already.
 */
export function* parseFoundLines(
  output: Buffer,
  root: SearchRoot,
  shouldKeep: PathFilter | undefined,
  maxLines = Number.POSITIVE_INFINITY,
): Steps<readonly FoundLine[]> {
  let lineCount = 0
  const linesByPath = new Map<string, FoundLine[]>()
  const linesByKey = new Map<string, FoundLine[] | undefined>()
  for (const { path, content } of readPrintedRecords(output)) {
    const key = path.toString('latin1')
    if (!linesByKey.has(key)) {
      const lines: FoundLine[] | undefined = shouldKeep === undefined || shouldKeep(path) ? [] : undefined
      linesByKey.set(key, lines)
      if (lines !== undefined) linesByPath.set(root.show(path), lines)
    }
    const lines = linesByKey.get(key)
    yield
    if (lines === undefined) continue
    if (lineCount++ >= maxLines) break
    const digits = /^\d+/.exec(content.toString('latin1', 0, 20))?.[0] ?? ''
    lines.push({
      path: root.show(path),
      printedPath: path,
      number: Number(digits),
      mark: content.toString('latin1', digits.length, digits.length + 1),
      content: content.subarray(digits.length + 1),
    })
  }
  return [...linesByPath.keys()].sort(compareCodeUnits).flatMap((path) => linesByPath.get(path) ?? [])
}

/** Formats lines. `--` separates groups of lines that are not adjacent. */
export function* formatLines(
  lines: readonly FoundLine[],
  { before = 0, after = 0, lineNumbers = true }: SearchQuery,
): Steps<string> {
  const hasGroups = before > 0 || after > 0
  const formattedLines: string[] = []
  let previousLine: FoundLine | undefined
  for (const line of lines) {
    const { path, number, mark, content } = line
    const isAdjacent = previousLine === undefined || (previousLine.path === path && previousLine.number + 1 >= number)
    if (hasGroups && !isAdjacent) formattedLines.push('--')
    const text = content.toString('utf8').replace(/\r$/, '')
    formattedLines.push(lineNumbers ? `${path}${mark}${number}${mark}${text}` : `${path}${mark}${text}`)
    previousLine = line
    yield
  }
  return formattedLines.join('\n')
}

/** One record of ripgrep: a path, a NUL byte, and the rest of the line. */
export interface PrintedRecord {
  readonly path: Buffer
  readonly content: Buffer
}

/** Printed without a NUL byte for a file that turned out to be binary after a match. */
const BINARY_NOTICE =
  /^(.*?): (?:WARNING: stopped searching binary file after match|binary file matches) \(found "\\0" byte around offset \d+\)\n/s

/** Yields the records of the output. An incomplete last record is left out. */
export function* readPrintedRecords(output: Buffer): Generator<PrintedRecord> {
  let at = 0
  for (;;) {
    at += measureNotice(output, at)
    const nulIndex = output.indexOf(0, at)
    if (nulIndex === -1) return
    const end = output.indexOf(0x0a, nulIndex)
    if (end === -1) return
    yield { path: output.subarray(at, nulIndex), content: output.subarray(nulIndex + 1, end) }
    at = end + 1
  }
}

/** Whether ripgrep reported a match in a binary file. It does not print such a match. */
export function isBinaryMatch(output: Buffer): boolean {
  return /: binary file matches \(found "\\0" byte around offset \d+\)\n$/.test(output.toString('latin1'))
}

const MAX_NOTICE_BYTES = 5_000
const CLOSING_BRACKET = 0x29

function measureNotice(output: Buffer, at: number): number {
  const lineEnd = output.indexOf(0x0a, at)
  if (lineEnd === -1 || output[lineEnd - 1] !== CLOSING_BRACKET) return 0
  const nulIndex = output.indexOf(0, at)
  if (nulIndex !== -1 && nulIndex < lineEnd) return 0
  const line = output.subarray(at, Math.min(lineEnd + 1, at + MAX_NOTICE_BYTES)).toString('latin1')
  return BINARY_NOTICE.test(line) ? lineEnd + 1 - at : 0
}
