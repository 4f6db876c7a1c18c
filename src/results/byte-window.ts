import { PREVIEW_HEAD_CHARS, PREVIEW_TAIL_CHARS } from '../contract/limits.js'
import { headOf, joinPreview, previewOf, tailOf } from './preview.js'

const MAX_BYTES_PER_CHAR = 4

/** More than a preview shows, so that the cut can look ahead and a split character at the edge is never shown. */
const MAX_HEAD_BYTES = (PREVIEW_HEAD_CHARS + 2) * MAX_BYTES_PER_CHAR
const TAIL_BYTES = (PREVIEW_TAIL_CHARS + 2) * MAX_BYTES_PER_CHAR

/** Keeps the first and last bytes of a stream of any length. */
export class ByteWindow {
  readonly #head = Buffer.alloc(MAX_HEAD_BYTES)
  #headLength = 0
  /** Twice the needed size, so that adding a small chunk rarely moves the kept bytes. */
  readonly #tail = Buffer.alloc(TAIL_BYTES * 2)
  #tailLength = 0
  #totalBytes = 0

  push(chunk: Uint8Array): void {
    this.#totalBytes += chunk.length
    const headPart = chunk.subarray(0, MAX_HEAD_BYTES - this.#headLength)
    this.#head.set(headPart, this.#headLength)
    this.#headLength += headPart.length
    this.#pushTail(chunk.length > TAIL_BYTES ? chunk.subarray(-TAIL_BYTES) : chunk)
  }

  /**
   * The preview of the whole text, except that the size of a long gap is not stated. `isCut` means that the stream
   * continued, perhaps within a character.
   */
  preview(isCut: boolean): string {
    const tail = this.#tail.subarray(Math.max(0, this.#tailLength - TAIL_BYTES), this.#tailLength)
    const gapBytes = this.#totalBytes - this.#headLength - tail.length
    const head = this.#head.subarray(0, this.#headLength)
    if (gapBytes <= 0) return previewOf(decode(Buffer.concat([head, tail.subarray(-gapBytes)]), isCut))
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

/** Decodes bytes. Invalid UTF-8 becomes U+FFFD. If `isCut`, an incomplete character at the end is dropped instead. */
export function decode(bytes: Uint8Array, isCut: boolean): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: isCut })
}
