import type { Steps } from '../../shared/steps.js'
import { findText } from './find-text.js'

/** The common bytes of source text, most frequent first. All other bytes are rarer. */
const COMMON_BYTES = Buffer.from(' etaoinrslcudpmhfgy\n.(),_"bw;v=k-\'/x:{}01T[]*ISECARPN2jq<>D')
/** After this many misses the byte is not rare in this text, so the search continues with the whole sequence. */
const MAX_MISSES = 1_000
/** If misses compare more than this many times the bytes of the text, the search continues with the whole sequence. */
const MAX_COMPARED_RATIO = 4

/**
 * Returns the next position of a byte sequence, or -1. Searches for its rarest byte first: if that byte is rare, this takes a
 * tenth of the time of a search for the whole sequence.
 */
export function* findBytes(bytes: Buffer, sequence: Buffer, from = 0): Steps<number> {
  const index = findRarestByteIndex(sequence)
  const byte = sequence[index] as number
  const maxMisses = Math.min(MAX_MISSES, (MAX_COMPARED_RATIO * bytes.length) / sequence.length)
  let start = from - 1
  for (let missCount = 0; missCount < maxMisses; missCount++) {
    const byteOffset = bytes.indexOf(byte, start + 1 + index)
    if (byteOffset === -1) return -1
    start = byteOffset - index
    if (bytes.subarray(start, start + sequence.length).equals(sequence)) return start
    if (missCount % 16 === 0) yield
  }
  const [offset = -1] = yield* findText(bytes.toString('latin1'), sequence.toString('latin1'), start + 1, 1)
  return offset
}

/** Only this many bytes at the start of a sequence are examined. */
const MAX_EXAMINED_BYTES = 1_000

function findRarestByteIndex(sequence: Buffer): number {
  let rarestIndex = 0
  for (let index = 0, bestRank = -1; index < sequence.length && index < MAX_EXAMINED_BYTES; index++) {
    const frequencyRank = COMMON_BYTES.indexOf(sequence[index] as number)
    const rank = frequencyRank === -1 ? COMMON_BYTES.length : frequencyRank
    if (rank > bestRank) {
      rarestIndex = index
      bestRank = rank
    }
  }
  return rarestIndex
}
