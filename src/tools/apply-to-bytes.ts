import { lengthOf, sliceOf, wholeOf } from '../shared/file-content.js'
import { type ByteChange, changedBytes } from '../shared/text-edit/changed-bytes.js'
import type { DecodedText } from '../shared/text-edit/decode-text.js'
import { encodeText, UnencodableTextError } from '../shared/text-edit/encode-text.js'
import type { TextEdit } from '../shared/text-edit/plan-edit.js'
import { type ReplacedBytes, replaceEvery, replaceOnly } from '../shared/text-edit/replace-bytes.js'
import type { AppliedEdits } from './edit-run.js'

/** The edits made in the bytes themselves, if each is there as it was sent; undefined leaves them to the whole ladder. */
export function applyToBytes(original: DecodedText, edits: readonly TextEdit[]): AppliedEdits | undefined {
  const { bytes, bomLength } = original
  // A text that has carriage returns takes more than a look at its bytes.
  if (original.encoding !== 'utf-8' || bytes.includes(0x0d)) return undefined
  const body = asBuffer(bytes.subarray(bomLength))
  const run = new ByteRun(body)
  for (const edit of edits) {
    const replaced = replaceVerbatim(run.bytes, edit)
    if (replaced === undefined) return undefined
    run.add(replaced)
  }
  return {
    content: [bytes.subarray(0, bomLength), ...run.pieces],
    changed: changedBytes(body, run.change(body)),
    strategies: edits.map(() => 'verbatim' as const),
    count: run.count,
  }
}

/** To look for a text as it is, its bytes do as well as its characters: none begins within another. */
function replaceVerbatim(bytes: Buffer, { oldString, newString, replaceAll }: TextEdit): ReplacedBytes | undefined {
  if (oldString === '' || oldString.includes('\r') || newString.includes('\r')) return undefined
  const searched = sentBytes(oldString)
  const replacement = sentBytes(newString)
  // What begins beyond ASCII may be an accent, cut from its letter.
  if (searched === undefined || replacement === undefined || (searched[0] ?? 0) > 0x7f) return undefined
  return replaceAll === true ? replaceEvery(bytes, searched, replacement) : replaceOnly(bytes, searched, replacement)
}

function sentBytes(text: string): Buffer | undefined {
  try {
    return asBuffer(encodeText(text, 'utf-8'))
  } catch (error) {
    if (error instanceof UnencodableTextError) return undefined
    throw error
  }
}

/** Edits that follow each other, each in what the one before left. */
class ByteRun {
  pieces: readonly Buffer[]
  count = 0
  #samePrefix = Number.POSITIVE_INFINITY
  #sameSuffix = Number.POSITIVE_INFINITY

  constructor(body: Buffer) {
    this.pieces = [body]
  }

  /** Put together only where an edit follows. */
  get bytes(): Buffer {
    return asBuffer(wholeOf(this.pieces))
  }

  add({ pieces, samePrefix, sameSuffix, count }: ReplacedBytes): void {
    this.pieces = pieces
    this.count += count
    this.#samePrefix = Math.min(this.#samePrefix, samePrefix)
    this.#sameSuffix = Math.min(this.#sameSuffix, sameSuffix)
  }

  /** What became of the body as a whole. */
  change(before: Buffer): ByteChange {
    const length = lengthOf(this.pieces)
    const shorter = Math.min(before.length, length)
    const samePrefix = Math.min(this.#samePrefix, shorter)
    const sameSuffix = Math.min(this.#sameSuffix, shorter - samePrefix)
    return { samePrefix, sameSuffix, middle: sliceOf(this.pieces, samePrefix, length - sameSuffix) }
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}
