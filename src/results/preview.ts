import { PREVIEW_CHARS, PREVIEW_HEAD_CHARS } from '../contract/limits.js'
import { cutText, cutTextStart } from '../shared/cut-text.js'
import { reasonOf } from '../shared/reason-of.js'

/** Returns the start and end of a text with a note on the omitted part between them. A short text is returned unchanged. */
export function createPreview(text: string, chars = PREVIEW_CHARS): string {
  if (text.length <= chars) return text
  const headChars = Math.floor((chars * PREVIEW_HEAD_CHARS) / PREVIEW_CHARS)
  const head = takeHead(text, headChars)
  const tail = takeTail(text, chars - headChars)
  return joinPreview(head, tail, `${formatCount(text.length - head.length - tail.length)} characters omitted`)
}

/** Joins start and end with a line that describes the gap. */
export function joinPreview(head: string, tail: string, gap: string): string {
  const lineBreak = head === '' || head.endsWith('\n') ? '' : '\n'
  return `${head}${lineBreak}[… ${gap} …]\n${tail}`
}

/** Returns at most `limit` characters of the start: whole lines if possible, and never half a surrogate pair. */
export function takeHead(text: string, limit: number): string {
  if (text.length <= limit) return text
  if (text[limit] === '\n') return text.slice(0, limit)
  const lineEnd = text.lastIndexOf('\n', limit - 1)
  if (limit > 0 && lineEnd >= 0) return text.slice(0, lineEnd + 1)
  return cutText(text, limit)
}

/** Returns at most `limit` characters of the end: whole lines if possible, and never half a surrogate pair. */
export function takeTail(text: string, limit: number): string {
  if (text.length <= limit) return text
  const start = text.length - limit
  if (text[start - 1] === '\n') return text.slice(start)
  const lineStart = text.indexOf('\n', start) + 1
  // The final newline starts no line: cutting there would leave nothing.
  if (lineStart > 0 && lineStart < text.length) return text.slice(lineStart)
  return cutTextStart(text, limit)
}

/** Formats a number as 1,234,567. Independent of the locale, because it becomes part of a recorded text. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}

const MAX_REASON_CHARS = 200

/** Formats the reason of a failure as one short line. */
export function describeFailure(error: unknown): string {
  const reason = reasonOf(error)
  return takeHead(reason.replace(/\s+/g, ' '), MAX_REASON_CHARS)
}
