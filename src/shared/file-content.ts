/** The content of a file, whole or in consecutive pieces: a large file can be written without joining its pieces. */
export type FileContent = Uint8Array | readonly Uint8Array[]

export function listPieces(content: FileContent): readonly Uint8Array[] {
  return content instanceof Uint8Array ? [content] : content
}

export function countBytes(content: FileContent): number {
  return listPieces(content).reduce((sum, piece) => sum + piece.length, 0)
}

/** Returns the content as one array, copied only if necessary. */
export function joinContent(content: FileContent): Uint8Array {
  const pieces = listPieces(content)
  const [first] = pieces
  return pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces)
}

/** Returns the bytes from `start` up to, but not including, `end`. At most this part is copied. */
export function sliceContent(content: FileContent, start: number, end: number): Uint8Array {
  const parts: Uint8Array[] = []
  let offset = 0
  for (const piece of listPieces(content)) {
    if (offset < end && offset + piece.length > start)
      parts.push(piece.subarray(Math.max(0, start - offset), end - offset))
    offset += piece.length
  }
  return joinContent(parts)
}
