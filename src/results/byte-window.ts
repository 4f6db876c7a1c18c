import { PREVIEW_HEAD_CHARS, PREVIEW_TAIL_CHARS } from '../contract/limits.js'
import { headOf, joinPreview, previewOf, tailOf } from './preview.js'

const MOST_BYTES_OF_A_CHAR = 4

/** More than a preview shows: the cut sees what stands behind it, and half a character at the border is never shown. */
const HEAD_BYTES = (PREVIEW_HEAD_CHARS + 2) * MOST_BYTES_OF_A_CHAR
const TAIL_BYTES = (PREVIEW_TAIL_CHARS + 2) * MOST_BYTES_OF_A_CHAR

/** The first and the last bytes of a stream of any length, and the text that they are. */
export class ByteWindow {
  readonly #head = Buffer.alloc(HEAD_BYTES)
  #headLength = 0
  /** Twice as long as needed, so that small pieces seldom move the rest. */
  readonly #tail = Buffer.alloc(TAIL_BYTES * 2)
  #tailLength = 0
  #total = 0

  push(chunk: Uint8Array): void {
    this.#total += chunk.length
    const forHead = chunk.subarray(0, HEAD_BYTES - this.#headLength)
    this.#head.set(forHead, this.#headLength)
    this.#headLength += forHead.length
    this.#pushTail(chunk.length > TAIL_BYTES ? chunk.subarray(-TAIL_BYTES) : chunk)
  }

  /** The same as the preview of the whole text. `isCut` says that the stream went on, perhaps in mid-character. */
  preview(isCut: boolean): string {
    const tail = this.#tail.subarray(Math.max(0, this.#tailLength - TAIL_BYTES), this.#tailLength)
    const between = this.#total - this.#headLength - tail.length
    const head = this.#head.subarray(0, this.#headLength)
    if (between <= 0) return previewOf(decode(Buffer.concat([head, tail.subarray(-between)]), isCut))
    return joinPreview(
      headOf(decode(head, true), PREVIEW_HEAD_CHARS),
      tailOf(decode(tail, isCut), PREVIEW_TAIL_CHARS),
      'the middle is left out',
    )
  }

  #pushTail(chunk: Uint8Array): void {
    if (this.#tailLength + chunk.length > this.#tail.length) {
      this.#tail.copyWithin(0, this.#tailLength - TAIL_BYTES, this.#tailLength)
      this.#tailLength = TAIL_BYTES
    }
    this.#tail.set(chunk, this.#tailLength)
    this.#tailLength += chunk.length
  }
}

/** Bytes as text; what is no UTF-8 becomes U+FFFD, and a character that is cut off at the end is left out. */
export function decode(bytes: Uint8Array, isCut: boolean): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: isCut })
}
