import type { DecodedText } from './decode-text.js'
import { encodeText } from './encode-text.js'
import { changedText, type TextChange } from './text-change.js'

/** Makes changes in the bytes themselves: those outside the changes are copied, never encoded again. */
export function changeDecodedText(decoded: DecodedText, changes: readonly TextChange[]): DecodedText {
  const { encoding, bomLength } = decoded
  const pieces: Uint8Array[] = []
  const place = placesIn(decoded)
  let done = 0
  for (const change of changes) {
    const start = place(change.start)
    pieces.push(decoded.bytes.subarray(done, start), encodeText(change.text, encoding))
    done = place(change.end)
  }
  pieces.push(decoded.bytes.subarray(done))
  return { encoding, bomLength, bytes: Buffer.concat(pieces), text: changedText(decoded.text, changes) }
}

/** Gives the place in the bytes for offsets that only ever grow. */
function placesIn({ text, bytes, encoding, bomLength }: DecodedText): (offset: number) => number {
  if (encoding !== 'utf-8') return (offset) => bomLength + offset * (encoding === 'latin-1' ? 1 : 2)
  if (text.length === bytes.length - bomLength) return (offset) => bomLength + offset
  let at = 0
  let place = bomLength
  return (offset) => {
    place += Buffer.byteLength(text.slice(at, offset), 'utf8')
    at = offset
    return place
  }
}
