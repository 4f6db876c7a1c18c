import type { Steps } from '../../shared/steps.js'
import { findSequence } from '../text/find-sequence.js'
import type { TextLine } from '../text/lines.js'
import type { TextRange } from '../text/text-change.js'
import type { Haystack } from './match.js'

/** Compares lines of the file with lines of the old text, which may start and end within a line. */
export interface LineComparison {
  /** Returns the offset of the first old line if a line of the file ends with it. */
  findStart(line: TextLine): number | undefined
  /** Returns the text that is compared for a line of the file. */
  keyOf(line: TextLine): string
  /** Returns the text that is compared for an old line. */
  keyOfOld(oldLine: string): string
  /** Returns the offset after the last old line if a line of the file starts with it. */
  findMatchEnd(line: TextLine): number | undefined
}

const LINES_PER_STEP = 1_024

/** Finds every place where two or more old lines occur in a row, ignoring line endings. */
export function* findLineRun(
  haystack: Haystack,
  oldLines: readonly string[],
  comparison: LineComparison,
): Steps<readonly TextRange[]> {
  const lines = yield* haystack.lines()
  const lastIndex = oldLines.length - 1
  const ranges: TextRange[] = []
  const addRange = (at: number) => {
    const firstLine = lines[at]
    const finalLine = lines[at + lastIndex]
    const start = firstLine === undefined || finalLine === undefined ? undefined : comparison.findStart(firstLine)
    const end = start === undefined ? undefined : comparison.findMatchEnd(finalLine as TextLine)
    if (start !== undefined && end !== undefined) ranges.push({ start, end })
  }
  if (lastIndex === 1) {
    for (let at = 0; at + lastIndex < lines.length; at++) {
      addRange(at)
      if (at % LINES_PER_STEP === 0) yield
    }
    return ranges
  }
  const middleLines = oldLines.slice(1, -1).map((line) => comparison.keyOfOld(line))
  for (const middleIndex of yield* findEqualLines(lines, middleLines, comparison.keyOf)) {
    addRange(middleIndex - 1)
    if (ranges.length % LINES_PER_STEP === 0) yield
  }
  return ranges
}

/** Finds the line indexes at which lines with these keys occur in a row. */
export function* findEqualLines(
  lines: readonly TextLine[],
  keys: readonly string[],
  keyOf: (line: TextLine) => string,
): Steps<readonly number[]> {
  const ids = new Map<string, number>()
  for (const key of keys) if (!ids.has(key)) ids.set(key, ids.size)
  const idsOfKeys = keys.map((key) => ids.get(key) as number)
  return yield* findSequence(
    { length: lines.length, at: (index) => ids.get(keyOf(lines[index] as TextLine)) ?? -1 },
    { length: keys.length, at: (index) => idsOfKeys[index] as number },
  )
}
