import type { Steps } from '../../shared/steps.js'
import { findSequence, type NumberedItems } from './find-sequence.js'

/** Texts up to this length are searched directly: even the worst case costs only this many comparisons per character. */
const MAX_DIRECT_LENGTH = 64
/** The number of characters that are searched between two pauses. */
const WINDOW_LENGTH = 256 * 1024
/** If candidates compare more than this many times the characters of the text, the search continues in linear time. */
const MAX_COMPARED_RATIO = 4

/**
 * Returns the offsets of all occurrences, overlapping ones included, up to `limit`. A long text is found by its start. If that
 * start is too frequent, the search continues with an algorithm that is slower on ordinary text, but always linear.
 */
export function* findText(
  text: string,
  searchText: string,
  from = 0,
  limit = Number.POSITIVE_INFINITY,
): Steps<readonly number[]> {
  const length = searchText.length
  if (length === 0) return []
  const start = searchText.slice(0, MAX_DIRECT_LENGTH)
  const foundOffsets: number[] = []
  let remainingComparisons = MAX_COMPARED_RATIO * text.length
  for (let windowStart = from; windowStart + length <= text.length; windowStart += WINDOW_LENGTH) {
    const windowText = text.slice(windowStart, windowStart + WINDOW_LENGTH + start.length - 1)
    for (let at = windowText.indexOf(start); at !== -1; at = windowText.indexOf(start, at + 1)) {
      const offset = windowStart + at
      remainingComparisons -= length - start.length
      if (remainingComparisons < 0)
        return foundOffsets.concat(
          yield* findSequence(codesOf(text), codesOf(searchText), offset, limit - foundOffsets.length),
        )
      if (length > start.length && text.slice(offset, offset + length) !== searchText) continue
      if (foundOffsets.push(offset) >= limit) return foundOffsets
    }
    yield
  }
  return foundOffsets
}

function codesOf(text: string): NumberedItems {
  return { length: text.length, at: (index) => text.charCodeAt(index) }
}
