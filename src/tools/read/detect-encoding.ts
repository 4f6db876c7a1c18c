/** How the bytes of a text are to be read. Which of the two eight-bit encodings it is, only its bytes can tell. */
export interface TextEncoding {
  readonly kind: 'eight-bit' | 'utf-16le' | 'utf-16be'
  /** Bytes of the mark at the start that says so, which is no part of the text. */
  readonly bomLength: number
}

/** Finds the encoding by the mark at the start of a file. */
export function detectEncoding(head: Uint8Array): TextEncoding {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { kind: 'eight-bit', bomLength: 3 }
  if (head[0] === 0xff && head[1] === 0xfe) return { kind: 'utf-16le', bomLength: 2 }
  if (head[0] === 0xfe && head[1] === 0xff) return { kind: 'utf-16be', bomLength: 2 }
  return { kind: 'eight-bit', bomLength: 0 }
}
