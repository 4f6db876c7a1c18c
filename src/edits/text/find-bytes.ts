/** The common bytes of source text, most frequent first. All other bytes are rarer. */
const COMMON_BYTES = Buffer.from(' etaoinrslcudpmhfgy\n.(),_"bw;v=k-\'/x:{}01T[]*ISECARPN2jq<>D')
/** After this many misses the byte is not rare in this text, so the search continues with the whole sequence. */
const MAX_MISSES = 1_000

/**
 * The next position of a byte sequence, or -1. Searches for its rarest byte first: if that byte is rare, this takes a
 * tenth of the time of a search for the whole sequence.
 */
export function findBytes(bytes: Buffer, sequence: Buffer, from = 0): number {
  const index = findRarestByte(sequence)
  const byte = sequence[index] as number
  let start = from - 1
  for (let missCount = 0; missCount < MAX_MISSES; missCount++) {
    const byteOffset = bytes.indexOf(byte, start + 1 + index)
    if (byteOffset === -1) return -1
    start = byteOffset - index
    if (bytes.subarray(start, start + sequence.length).equals(sequence)) return start
  }
  return bytes.indexOf(sequence, start + 1)
}

function findRarestByte(sequence: Buffer): number {
  let best = 0
  for (let index = 0, bestRank = -1; index < sequence.length; index++) {
    const frequencyRank = COMMON_BYTES.indexOf(sequence[index] as number)
    const rank = frequencyRank === -1 ? COMMON_BYTES.length : frequencyRank
    if (rank > bestRank) {
      best = index
      bestRank = rank
    }
  }
  return best
}
