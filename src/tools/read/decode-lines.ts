import { isUtf8 } from 'node:buffer'
import type { FileLine } from '../../contract/ports/files.js'
import { detectEncoding } from './detect-encoding.js'

const MAX_LINE_CHARS = 2000
/** A character takes at most four bytes in every encoding that is read. */
export const MAX_LINE_BYTES = MAX_LINE_CHARS * 4

/** The text of lines, without their ends, each cut where it is too long. One line that is no UTF-8 makes all Latin-1. */
export function decodeLines(lines: readonly FileLine[], head: Uint8Array): string[] {
  const { kind, bomLength } = detectEncoding(head)
  const texts = lines.map(({ bytes, cutBytes }) => (cutBytes > 0 ? wholeCharacters(bytes) : bytes))
  const isLatin = kind === 'eight-bit' && !texts.every((bytes) => isUtf8(bytes))
  const decoder = new TextDecoder(kind === 'eight-bit' ? 'utf-8' : kind, { ignoreBOM: true })
  return texts.map((bytes, at) => {
    // By hand, because what a decoder calls Latin-1 is another encoding.
    const text = isLatin ? Buffer.from(bytes).toString('latin1') : decoder.decode(bytes)
    const marked = at === 0 && bomLength > 0 && text.startsWith('\ufeff') ? text.slice(1) : text
    const cutBytes = lines[at]?.cutBytes ?? 0
    return cutLine(cutBytes > 0 ? marked : marked.replace(/\r$/, ''), cutBytes)
  })
}

/** Without a UTF-8 character at the end of which some bytes were cut off. */
function wholeCharacters(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number
    if (byte < 0x80) return bytes
    if (byte >= 0xc0) return bytes.subarray(0, bytes.length - back)
  }
  return bytes
}

function cutLine(text: string, cutBytes: number): string {
  if (cutBytes === 0 && text.length <= MAX_LINE_CHARS) return text
  const end = isHighSurrogate(text.charCodeAt(MAX_LINE_CHARS - 1)) ? MAX_LINE_CHARS - 1 : MAX_LINE_CHARS
  const shown = text.slice(0, end)
  const left = text.length - shown.length
  const rest = cutBytes > 0 ? `at least ${left + Math.ceil(cutBytes / 4)}` : `${left}`
  return `${shown}… [line cut: ${rest} more characters]`
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}
