const NEWLINE = 0x0a

/** Where the line that goes through a place of a chunk ends: behind its newline; -1 where the chunk has none. */
export type FindLineEnd = (chunk: Buffer, from: number) => number

/** By the first bytes of a file. Chunks begin at even places of the file, so that a wide newline never falls apart. */
export function lineEndFinder(head: Uint8Array): FindLineEnd {
  if (head[0] === 0xff && head[1] === 0xfe) return wideLittleEnd
  if (head[0] === 0xfe && head[1] === 0xff) return wideBigEnd
  return narrowEnd
}

function narrowEnd(chunk: Buffer, from: number): number {
  return chunk.indexOf(NEWLINE, from) + 1 || -1
}

function wideLittleEnd(chunk: Buffer, from: number): number {
  for (let at = chunk.indexOf(NEWLINE, from); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) {
    if (at % 2 === 0 && chunk[at + 1] === 0) return at + 2
  }
  return -1
}

function wideBigEnd(chunk: Buffer, from: number): number {
  for (let at = chunk.indexOf(NEWLINE, from); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) {
    if (at % 2 === 1 && chunk[at - 1] === 0) return at + 1
  }
  return -1
}

/** How many bytes the newline of such a file has. */
export function newlineLength(findEnd: FindLineEnd): number {
  return findEnd === narrowEnd ? 1 : 2
}
