import { countNewlines } from '../count-newlines.js'
import { type ChangedText, CONTEXT_LINES } from './unified-patch.js'

const NEWLINE = 0x0a

/** What of bytes stayed the same, and the bytes that came to stand between. */
export interface ByteChange {
  readonly samePrefix: number
  readonly sameSuffix: number
  readonly middle: Uint8Array
}

/**
 * A change to a UTF-8 text, told by its bytes: only the lines around it are looked at, as text with a character for each
 * byte, because decoding a large file would cost more than all the rest of an edit.
 */
export function changedBytes(body: Buffer, { samePrefix, sameSuffix, middle }: ByteChange): ChangedText {
  const end = body.length - sameSuffix
  const from = contextStart(body, samePrefix)
  const to = contextEnd(body, end)
  return {
    linesBefore: countNewlines(body, from),
    before: body.toString('latin1', from, to),
    samePrefix: samePrefix - from,
    sameSuffix: to - end,
    middle: Buffer.from(middle.buffer, middle.byteOffset, middle.length).toString('latin1'),
    readLine: (line) => Buffer.from(line, 'latin1').toString('utf8'),
  }
}

function contextStart(body: Buffer, place: number): number {
  let start = place
  for (let step = 0; step <= CONTEXT_LINES && start > 0; step++) start = body.lastIndexOf(NEWLINE, start - 1)
  return start > 0 ? start + 1 : 0
}

function contextEnd(body: Buffer, place: number): number {
  let end = place
  for (let step = 0; step <= CONTEXT_LINES; step++) {
    const found = body.indexOf(NEWLINE, end)
    if (found === -1) return body.length
    end = found + 1
  }
  return end
}
