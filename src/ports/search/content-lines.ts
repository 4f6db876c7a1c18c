import type { SearchQuery } from '../../contract/ports/search.js'
import { compareCodeUnits } from '../../shared/compare-code-units.js'
import type { KeepPath } from './keep-path.js'
import type { SearchRoot } from './open-root.js'
import { printedRecords } from './printed-records.js'

interface FoundLine {
  readonly path: string
  readonly number: number
  /** `:` of a match, `-` of a line around one. */
  readonly mark: string
  readonly rest: Buffer
}

/** The lines that were found, by path and then by line. */
export function foundLines(output: Buffer, root: SearchRoot, keeps: KeepPath | undefined): readonly FoundLine[] {
  const byPath = new Map<string, FoundLine[]>()
  const seen = new Map<string, FoundLine[] | undefined>()
  for (const { path, rest } of printedRecords(output)) {
    const key = path.toString('latin1')
    if (!seen.has(key)) {
      const lines: FoundLine[] | undefined = keeps === undefined || keeps(path) ? [] : undefined
      seen.set(key, lines)
      if (lines !== undefined) byPath.set(root.show(path), lines)
    }
    const lines = seen.get(key)
    const digits = /^\d+/.exec(rest.toString('latin1', 0, 20))?.[0] ?? ''
    lines?.push({
      path: root.show(path),
      number: Number(digits),
      mark: rest.toString('latin1', digits.length, digits.length + 1),
      rest: rest.subarray(digits.length + 1),
    })
  }
  return [...byPath.keys()].sort(compareCodeUnits).flatMap((path) => byPath.get(path) ?? [])
}

/** As they are read; `--` stands between groups that do not touch, where lines around matches are shown. */
export function drawLines(
  lines: readonly FoundLine[],
  { before = 0, after = 0, lineNumbers = true }: SearchQuery,
): string {
  const hasGroups = before > 0 || after > 0
  const drawn: string[] = []
  let last: FoundLine | undefined
  for (const line of lines) {
    const { path, number, mark, rest } = line
    const touches = last === undefined || (last.path === path && last.number + 1 >= number)
    if (hasGroups && !touches) drawn.push('--')
    const text = rest.toString('utf8').replace(/\r$/, '')
    drawn.push(lineNumbers ? `${path}${mark}${number}${mark}${text}` : `${path}${mark}${text}`)
    last = line
  }
  return drawn.join('\n')
}
