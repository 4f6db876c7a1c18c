/** What a file holds, whole or in pieces that follow each other: a large file need not be put together to be written. */
export type FileContent = Uint8Array | readonly Uint8Array[]

export function piecesOf(content: FileContent): readonly Uint8Array[] {
  return content instanceof Uint8Array ? [content] : content
}

export function lengthOf(content: FileContent): number {
  return piecesOf(content).reduce((sum, piece) => sum + piece.length, 0)
}

/** In one piece, copied only where it is not. */
export function wholeOf(content: FileContent): Uint8Array {
  const pieces = piecesOf(content)
  const [only] = pieces
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces)
}

/** A part of it, the end not included; only that part is put together. */
export function sliceOf(content: FileContent, start: number, end: number): Uint8Array {
  const parts: Uint8Array[] = []
  let at = 0
  for (const piece of piecesOf(content)) {
    if (at < end && at + piece.length > start) parts.push(piece.subarray(Math.max(0, start - at), end - at))
    at += piece.length
  }
  return wholeOf(parts)
}
