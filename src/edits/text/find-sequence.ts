import type { Steps } from '../../shared/steps.js'

/** The number of items that are compared between two pauses. */
const ITEMS_PER_STEP = 16_384

/** Items that are compared by number: the characters of a text, or the lines of a file. */
export interface NumberedItems {
  readonly length: number
  at(index: number): number
}

/**
 * Finds every position of a sequence, overlapping ones included, in linear time (Knuth, Morris and Pratt). `indexOf` can
 * take quadratic time in repetitive text. Stops after `limit` positions.
 */
export function* findSequence(
  items: NumberedItems,
  sequence: NumberedItems,
  from = 0,
  limit = Number.POSITIVE_INFINITY,
): Steps<readonly number[]> {
  const length = sequence.length
  const foundOffsets: number[] = []
  if (length === 0 || items.length - from < length) return foundOffsets
  const borders = yield* measureBorders(sequence)
  let matchedCount = 0
  for (let index = from; index < items.length; index++) {
    const item = items.at(index)
    while (matchedCount > 0 && (matchedCount === length || sequence.at(matchedCount) !== item))
      matchedCount = borders[matchedCount - 1] as number
    if (sequence.at(matchedCount) === item) matchedCount++
    if (matchedCount === length && foundOffsets.push(index - length + 1) >= limit) return foundOffsets
    if (index % ITEMS_PER_STEP === 0) yield
  }
  return foundOffsets
}

/** Returns for each prefix the length of its longest proper part that is both its start and its end. */
function* measureBorders(sequence: NumberedItems): Steps<Int32Array> {
  const borders = new Int32Array(sequence.length)
  let border = 0
  for (let index = 1; index < sequence.length; index++) {
    const item = sequence.at(index)
    while (border > 0 && sequence.at(border) !== item) border = borders[border - 1] as number
    if (sequence.at(border) === item) border++
    borders[index] = border
    if (index % ITEMS_PER_STEP === 0) yield
  }
  return borders
}
