import { PREVIEW_CHARS, PREVIEW_HEAD_CHARS } from '../contract/limits.js'
import { reasonOf } from '../shared/reason-of.js'

/** The start and the end of a text, with a line between them that says how much is left out; a short text as it is. */
export function previewOf(text: string, chars = PREVIEW_CHARS): string {
  if (text.length <= chars) return text
  const headChars = Math.floor((chars * PREVIEW_HEAD_CHARS) / PREVIEW_CHARS)
  const head = headOf(text, headChars)
  const tail = tailOf(text, chars - headChars)
  return joinPreview(head, tail, `${formatCount(text.length - head.length - tail.length)} characters left out`)
}

/** The two ends with what is said about the gap on a line of its own. */
export function joinPreview(head: string, tail: string, gap: string): string {
  const lineBreak = head === '' || head.endsWith('\n') ? '' : '\n'
  return `${head}${lineBreak}[… ${gap} …]\n${tail}`
}

/** At most `limit` characters of the start: whole lines if one ends there, and never half a surrogate pair. */
export function headOf(text: string, limit: number): string {
  if (text.length <= limit) return text
  if (text[limit] === '\n') return text.slice(0, limit)
  const lineEnd = text.lastIndexOf('\n', limit - 1)
  if (limit > 0 && lineEnd >= 0) return text.slice(0, lineEnd + 1)
  return text.slice(0, splitsPair(text, limit) ? limit - 1 : limit)
}

/** At most `limit` characters of the end: whole lines if one starts there, and never half a surrogate pair. */
export function tailOf(text: string, limit: number): string {
  if (text.length <= limit) return text
  const start = text.length - limit
  if (text[start - 1] === '\n') return text.slice(start)
  const lineStart = text.indexOf('\n', start) + 1
  // The newline that ends the text starts no line: taking it would leave nothing to show.
  if (lineStart > 0 && lineStart < text.length) return text.slice(lineStart)
  return text.slice(splitsPair(text, start) ? start + 1 : start)
}

function splitsPair(text: string, at: number): boolean {
  return isHighSurrogate(text.charCodeAt(at - 1)) && isLowSurrogate(text.charCodeAt(at))
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

/** A count as people write it: 1,234,567. The same on every machine, because it becomes part of a frozen text. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}

const LONGEST_REASON = 200

/** Why something failed, in one short line. */
export function describeFailure(error: unknown): string {
  const reason = reasonOf(error)
  return headOf(reason.replace(/\s+/g, ' '), LONGEST_REASON)
}
