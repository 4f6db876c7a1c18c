/** The content of a file, whole or in consecutive pieces: a large file can be written without joining them. */
export type FileContent = Uint8Array | readonly Uint8Array[]

export function piecesOf(content: FileContent): readonly Uint8Array[] {
  return content instanceof Uint8Array ? [content] : content
}

export function lengthOf(content: FileContent): number {
  return piecesOf(content).reduce((sum, piece) => sum + piece.length, 0)
}

/** The content as one array, copied only if necessary. */
export function wholeOf(content: FileContent): Uint8Array {
  const pieces = piecesOf(content)
  const [only] = pieces
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces)
}

/** A part of the content, without the byte at `end`. Only that part is copied. */
export function sliceOf(content: FileContent, start: number, end: number): Uint8Array {
  const parts: Uint8Array[] = []
  let at = 0
  for (const piece of piecesOf(content)) {
    if (at < end && at + piece.length > start) parts.push(piece.subarray(Math.max(0, start - at), end - at))
    at += piece.length
  }
  return wholeOf(parts)
}
