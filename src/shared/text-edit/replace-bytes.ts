import { findBytes } from '../find-bytes.js'

/** Bytes with a text in them replaced, in pieces; what stands before the first place and after the last is as it was. */
export interface ReplacedBytes {
  readonly pieces: readonly Buffer[]
  readonly samePrefix: number
  readonly sameSuffix: number
  readonly count: number
}

/** Replaces the one place of a text; undefined where there is none, more than one, or an accent may follow it. */
export function replaceOnly(bytes: Buffer, searched: Buffer, replacement: Buffer): ReplacedBytes | undefined {
  const at = findBytes(bytes, searched)
  if (at === -1 || mayBeCut(bytes, at + searched.length) || findBytes(bytes, searched, at + 1) !== -1) return undefined
  const rest = bytes.subarray(at + searched.length)
  return { pieces: [bytes.subarray(0, at), replacement, rest], samePrefix: at, sameSuffix: rest.length, count: 1 }
}

/** Replaces every place, of those that overlap the first; undefined where there is none, or an accent may follow one. */
export function replaceEvery(bytes: Buffer, searched: Buffer, replacement: Buffer): ReplacedBytes | undefined {
  const places = placesOf(bytes.toString('latin1'), searched.toString('latin1'))
  const [first] = places
  if (first === undefined || places.some((place) => mayBeCut(bytes, place + searched.length))) return undefined
  const changed = Buffer.allocUnsafe(bytes.length + places.length * (replacement.length - searched.length))
  let from = 0
  let to = 0
  // Byte by byte: where places are many, they are near each other.
  for (const place of places) {
    while (from < place) changed[to++] = bytes[from++] as number
    for (let at = 0; at < replacement.length; at++) changed[to++] = replacement[at] as number
    from += searched.length
  }
  bytes.copy(changed, to, from)
  return { pieces: [changed], samePrefix: first, sameSuffix: bytes.length - from, count: places.length }
}

function placesOf(text: string, searched: string): readonly number[] {
  const places: number[] = []
  for (let at = text.indexOf(searched); at !== -1; at = text.indexOf(searched, at + searched.length)) places.push(at)
  return places
}

/** Letters beyond ASCII are left to those who read characters. */
function mayBeCut(bytes: Buffer, end: number): boolean {
  return (bytes[end] ?? 0) > 0x7f
}
