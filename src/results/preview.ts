import { PREVIEW_CHARS, PREVIEW_HEAD_CHARS } from '../contract/limits.js'
import { headOf, tailOf } from './cut-text.js'
import { formatCount } from './format-count.js'

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
