export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const
export type ImageType = (typeof IMAGE_TYPES)[number]

type FileKind = { readonly kind: 'text' | 'binary' | 'pdf' } | { readonly kind: 'image'; readonly mediaType: ImageType }

/** Detects the kind of a file by its first bytes, because its name is not reliable. */
export function detectKind(head: Uint8Array): FileKind {
  const mediaType = detectImageType(head)
  if (mediaType !== undefined) return { kind: 'image', mediaType }
  if (decodeLatin1(head, 0, 5) === '%PDF-') return { kind: 'pdf' }
  if (detectEncoding(head).kind !== 'eight-bit') return { kind: 'text' }
  return { kind: head.includes(0) ? 'binary' : 'text' }
}

/** Returns the type of an image by its first bytes; undefined if it is not an image. */
export function detectImageType(head: Uint8Array): ImageType | undefined {
  if (decodeLatin1(head, 0, 8) === '\x89PNG\r\n\x1a\n') return 'image/png'
  if (decodeLatin1(head, 0, 3) === '\xff\xd8\xff') return 'image/jpeg'
  if (/^GIF8[79]a$/.test(decodeLatin1(head, 0, 6))) return 'image/gif'
  if (decodeLatin1(head, 0, 4) === 'RIFF' && decodeLatin1(head, 8, 12) === 'WEBP') return 'image/webp'
  return undefined
}

function decodeLatin1(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end))
}

/** The encoding of a text. `eight-bit` means UTF-8 or Latin-1; which of them depends on all bytes of the text. */
export interface TextEncoding {
  readonly kind: 'eight-bit' | 'utf-16le' | 'utf-16be'
  /** The length of the byte order mark, which is not part of the text. */
  readonly bomLength: number
}

/** Detects the encoding by the byte order mark. */
export function detectEncoding(head: Uint8Array): TextEncoding {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { kind: 'eight-bit', bomLength: 3 }
  if (head[0] === 0xff && head[1] === 0xfe) return { kind: 'utf-16le', bomLength: 2 }
  if (head[0] === 0xfe && head[1] === 0xff) return { kind: 'utf-16be', bomLength: 2 }
  return { kind: 'eight-bit', bomLength: 0 }
}
