import { PREVIEW_HEAD_CHARS, PREVIEW_TAIL_CHARS } from '../contract/limits.js'
import { headOf, joinPreview, previewOf, tailOf } from './preview.js'

const MAX_BYTES_PER_CHAR = 4

/** More than a preview shows, so that the cut can look ahead and a split character at the edge is never shown. */
const HEAD_BYTES = (PREVIEW_HEAD_CHARS + 2) * MAX_BYTES_PER_CHAR
const TAIL_BYTES = (PREVIEW_TAIL_CHARS + 2) * MAX_BYTES_PER_CHAR

/** Keeps the first and last bytes of a stream of any length. */
export class ByteWindow {
  readonly #head = Buffer.alloc(HEAD_BYTES)
  #headLength = 0
  /** Twice the needed size, so that small chunks rarely move the rest. */
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

  /** Equals the preview of the whole text. `isCut`: the stream continued, perhaps within a character. */
  preview(isCut: boolean): string {
    const tail = this.#tail.subarray(Math.max(0, this.#tailLength - TAIL_BYTES), this.#tailLength)
    const between = this.#total - this.#headLength - tail.length
    const head = this.#head.subarray(0, this.#headLength)
    if (between <= 0) return previewOf(decode(Buffer.concat([head, tail.subarray(-between)]), isCut))
    return joinPreview(
      headOf(decode(head, true), PREVIEW_HEAD_CHARS),
      tailOf(decode(tail, isCut), PREVIEW_TAIL_CHARS),
      'middle omitted',
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

/** Decodes bytes. Invalid UTF-8 becomes U+FFFD; a character cut off at the end is dropped. */
export function decode(bytes: Uint8Array, isCut: boolean): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: isCut })
}
